// Tries a budget on the last month before it is set.
import { Text } from "@mantine/core";
import { api, type Budget, type BudgetTrial, take } from "../../api/client.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { timeOf } from "../../parts/days.ts";
import { formatCount } from "../../parts/format.ts";
import { Time } from "../../parts/time.tsx";
import { Run } from "../../parts/run.tsx";
import { TurnsLink } from "../turns/turns-link.tsx";
import { Credits } from "../../parts/money.tsx";

interface Tried {
  readonly scope: Budget["scope"];
  readonly id?: string;
  readonly period?: Budget["period"];
  /** Credits; empty: not yet entered. */
  readonly limit: string;
}

type Period = BudgetTrial["periods"][number];

export function TryBudget({ organizationId, budget }: { organizationId: string; budget: Tried }) {
  const { limit, ...name } = budget;
  const query = { ...name, limit: Number(limit) };
  const run = () =>
    take(
      api.GET("/organizations/{organization_id}/budgets/trial", {
        params: { path: { organization_id: organizationId }, query },
      }),
    );
  return (
    // What was tried with other values says nothing about these.
    <Run action="Try it on last month" key={JSON.stringify(budget)} isReady={limit !== ""} run={run}>
      {(trial) => <Outcome organizationId={organizationId} trial={trial} />}
    </Run>
  );
}

function Outcome({ organizationId, trial }: { organizationId: string; trial: BudgetTrial }) {
  const reached = trial.periods.filter((period) => period.rejects_from !== null);
  const responses = formatCount(trial.responses);
  const owner = trial.scope === "key" || trial.scope === "member" ? { [trial.scope]: trial.id ?? "" } : {};
  const since = (
    <>
      responses since <Time at={trial.from} />
    </>
  );
  if (reached.length === 0) {
    return (
      <Text size="sm">
        It would have rejected none of {responses} {since}.
      </Text>
    );
  }
  const columns = [
    { title: "Used up by", cell: ({ rejects_from: from }: Period) => <Time at={from ?? 0} /> },
    {
      title: "Rejected",
      isNumber: true,
      cell: ({ rejects_from: from, to, rejected_responses: count }: Period) => (
        <TurnsLink
          organizationId={organizationId}
          subject="the rest of the period"
          count={count}
          search={{ ...owner, from: timeOf(from ?? 0), to: timeOf(to ?? trial.to) }}
        />
      ),
    },
    { title: "Credits", isNumber: true, cell: (period: Period) => <Credits amount={period.rejected_credits} /> },
  ];
  return (
    <>
      <Text size="sm" mb="xs">
        It would have rejected at least {formatCount(trial.rejected_responses)} of {responses} {since}. Responses in the
        hour in which the limit was reached, and reservations of running responses, are not counted.
      </Text>
      <DataTable
        caption="Periods in which the budget would have been used up"
        columns={columns}
        rows={reached}
        rowKey={({ from }) => String(from)}
      />
    </>
  );
}
