// What needs a person, before everything else.
import IconAlertTriangle from "@tabler/icons-react/icons/IconAlertTriangle";
import IconCircleCheck from "@tabler/icons-react/icons/IconCircleCheck";
import type { Attention, AttentionScreen } from "../../attention/attention.ts";
import { useAttention } from "../../attention/use-attention.ts";
import { TextLink } from "../../parts/link.tsx";
import { Section } from "../../parts/screen.tsx";

export function AttentionList({ id }: { id: string }) {
  const attention = useAttention(id);
  if (attention.length === 0) {
    return (
      <p className="attention attention-none">
        <IconCircleCheck size={18} aria-hidden />
        Nothing needs you now.
      </p>
    );
  }
  return (
    <Section title="Needs you">
      <ul className="attention-list">
        {attention.map((one) => (
          <li key={one.text} className={one.isUrgent ? "attention attention-urgent" : "attention"}>
            <IconAlertTriangle size={18} aria-hidden />
            <span>
              {one.text}. <Place id={id} of={one} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const PLACES: Readonly<Record<AttentionScreen, (of: string) => string>> = {
  budgets: (of) => `${of}/budgets`,
  turns: (of) => `${of}/turns`,
  service: () => "/service",
};
const WORDS: Readonly<Record<AttentionScreen, string>> = {
  budgets: "Budgets and credits",
  turns: "The failed turns",
  service: "Service",
};

function Place({ id, of: { screen } }: { id: string; of: Attention }) {
  return (
    <TextLink
      to={PLACES[screen](`/organizations/${id}`)}
      {...(screen === "turns" ? { search: { status: "failed" } } : {})}
    >
      {WORDS[screen]}
    </TextLink>
  );
}
