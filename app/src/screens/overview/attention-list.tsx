// What needs a person, before everything else.
import IconAlertTriangle from "@tabler/icons-react/icons/IconAlertTriangle";
import IconCircleCheck from "@tabler/icons-react/icons/IconCircleCheck";
import type { Attention, AttentionScreen } from "../../attention/attention.ts";
import { useAttention } from "../../attention/use-attention.ts";
import { TextLink } from "../../parts/link.tsx";
import { Section } from "../../parts/screen.tsx";

export function AttentionList({ organizationId }: { organizationId: string }) {
  const attention = useAttention(organizationId);
  if (attention.length === 0) {
    return (
      <p className="attention attention-none">
        <IconCircleCheck size={18} aria-hidden />
        Nothing needs you now.
      </p>
    );
  }
  // Requests for more stand below, with their buttons.
  const shown = attention.filter(({ isRequest }) => isRequest !== true);
  if (shown.length === 0) return null;
  return (
    <Section title="Needs you">
      <ul className="attention-list">
        {shown.map((one) => (
          <li key={one.text} className={one.isUrgent ? "attention attention-urgent" : "attention"}>
            <IconAlertTriangle size={18} aria-hidden />
            <span>
              {one.text}. <Place organizationId={organizationId} attention={one} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const PLACES: Readonly<Record<AttentionScreen, (base: string) => string>> = {
  budgets: (base) => `${base}/budgets`,
  errors: (base) => `${base}/errors`,
  service: () => "/service",
};
const WORDS: Readonly<Record<AttentionScreen, string>> = {
  budgets: "Budgets and credits",
  errors: "Errors",
  service: "Service",
};

function Place({ organizationId, attention: { screen, code } }: { organizationId: string; attention: Attention }) {
  return (
    <TextLink
      to={PLACES[screen](`/organizations/${organizationId}`)}
      {...(code === undefined ? {} : { search: { code } })}
    >
      {WORDS[screen]}
    </TextLink>
  );
}
