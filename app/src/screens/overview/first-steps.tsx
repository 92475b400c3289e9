// The steps of a new organization, which tick themselves.
import { Paper, Text } from "@mantine/core";
import IconCircle from "@tabler/icons-react/icons/IconCircle";
import IconCircleCheck from "@tabler/icons-react/icons/IconCircleCheck";
import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useState } from "react";
import type { Organization } from "../../api/client.ts";
import { budgetsQuery, keysQuery } from "../../api/queries.ts";
import { TextLink } from "../../parts/link.tsx";
import { mayManage } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";
import { WhomToAsk } from "../whom-to-ask.tsx";
import { everQuery, isUsed } from "./ever.ts";

const FirstRequest = lazy(async () => ({ default: (await import("./first-request.tsx")).FirstRequest }));

interface Step {
  readonly step: string;
  readonly isDone: boolean;
  /** How it is done. */
  readonly how: ReactNode;
  /** Whether that is shown although it is done. */
  readonly isShown?: boolean;
}

/** Shown until all of them are done. */
export function FirstSteps({ organization: { id: organizationId } }: { organization: Organization }) {
  const manages = mayManage(useSession().role);
  const [isSent, setSent] = useState(false);
  const { data: keys } = useQuery(keysQuery(organizationId));
  const { data: usage } = useQuery(everQuery(organizationId));
  const { data: budgets } = useQuery({ ...budgetsQuery(organizationId), enabled: manages });
  if (keys === undefined || usage === undefined || (manages && budgets === undefined)) return null;
  const params = { organizationId };
  const steps: readonly Step[] = [
    {
      step: "A key",
      isDone: keys.some((key) => key.revoked_at === null),
      how: manages ? (
        <TextLink to="/organizations/$organizationId/keys" params={params}>
          create the first
        </TextLink>
      ) : (
        <WhomToAsk organizationId={organizationId} forWhat="for one" />
      ),
    },
    {
      step: "A request",
      isDone: isUsed(usage),
      how: (
        <Suspense fallback={null}>
          <FirstRequest onSent={() => setSent(true)} />
        </Suspense>
      ),
      // Its answer stays to be read.
      isShown: isSent,
    },
    ...(manages
      ? [
          {
            step: "A budget, so that more than the balance limits what is spent",
            isDone: (budgets?.length ?? 0) > 0,
            how: (
              <TextLink to="/organizations/$organizationId/budgets" params={params}>
                set the first budget
              </TextLink>
            ),
          },
        ]
      : []),
  ];
  if (steps.every(({ isDone }) => isDone) && !isSent) return null;
  return (
    <Paper withBorder p="md">
      <Text fw={600}>
        First steps: {steps.filter(({ isDone }) => isDone).length} of {steps.length} done
      </Text>
      <ol className="steps">
        {steps.map(({ step, isDone, how, isShown = false }) => (
          <li key={step} data-done={isDone}>
            {isDone ? (
              <IconCircleCheck size={18} role="img" aria-label="Done" />
            ) : (
              <IconCircle size={18} role="img" aria-label="To do" />
            )}
            <div className="step">
              {step}
              {(!isDone || isShown) && <>: {how}</>}
            </div>
          </li>
        ))}
      </ol>
    </Paper>
  );
}
