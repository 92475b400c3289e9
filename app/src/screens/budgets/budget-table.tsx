// Budgets in their current periods, with what is spent of them.
import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Budget } from "../../api/client.ts";
import { ACTIONS, type Column, DataTable } from "../../parts/data-table.tsx";
import { Meter } from "../../parts/meter.tsx";
import { Credits, useMoneyWords } from "../../parts/money.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { useBudgetNames } from "./budget-names.ts";
import { hasPeriod, limitNow, periodOf, shareOf } from "./periods.ts";

export function budgetKey({ scope, id, period }: Budget): string {
  return `${scope} ${id ?? ""} ${period}`;
}

/** A budget as changes name it. */
export function referenceTo({ scope, id, period }: Pick<Budget, "scope" | "id" | "period">) {
  return { scope, ...(id === null ? {} : { id }), ...(hasPeriod(scope) ? { period } : {}) };
}

/** When the budget is used up if its period goes on as it has until now. */
function Forecast({ at, budget }: { at: number; budget: Budget }) {
  if (budget.spent >= limitNow(budget)) return <Status tone="bad">used up</Status>;
  return (
    <Text span size="xs" c="dimmed" title="At the pace of its period until now">
      used up on <Time at={at} />
    </Text>
  );
}

export function BudgetTable({
  organizationId,
  budgets,
  actions,
}: {
  organizationId: string;
  budgets: readonly Budget[];
  actions?: (budget: Budget) => ReactNode;
}) {
  const nameOf = useBudgetNames(organizationId);
  const words = useMoneyWords();
  const amounts = (title: string, amountOf: (budget: Budget) => number): Column<Budget> => ({
    title: `${title}, credits`,
    isNumber: true,
    value: amountOf,
    cell: (budget) => <Credits amount={amountOf(budget)} />,
  });
  const columns: Column<Budget>[] = [
    { title: "Budget of", isWide: true, value: nameOf, cell: nameOf },
    { title: "Period", value: periodOf, cell: periodOf },
    {
      title: "Used",
      value: (budget) => (budget.scope === "response" ? null : shareOf(budget)),
      cell: (budget) =>
        budget.scope === "response" ? (
          "counted by itself"
        ) : (
          <span className="of-row">
            <Meter share={shareOf(budget)} label={nameOf(budget)} />
            {budget.used_up_at !== null && <Forecast at={budget.used_up_at} budget={budget} />}
          </span>
        ),
    },
    amounts("Spent", ({ spent }) => spent),
    { ...amounts("Held", ({ held }) => held), isMinor: true },
    amounts("Limit", ({ limit }) => limit),
  ];
  // Few budgets have a ceiling or a raise: the columns are there for those that do.
  if (budgets.some(({ ceiling }) => ceiling !== undefined)) {
    columns.push({
      title: "Set by",
      cell: ({ ceiling, own_limit: own }) => {
        if (ceiling === undefined) return "the organization";
        if (own == null) return "the operator";
        return `the operator: ${words(ceiling)}, the organization: ${words(own)}`;
      },
    });
  }
  if (budgets.some(({ raise }) => raise !== undefined)) {
    columns.push({
      title: "Raised",
      cell: ({ raise }) =>
        raise === undefined ? (
          "no"
        ) : (
          <>
            by {words(raise.amount)} until <Time at={raise.until} />
          </>
        ),
    });
  }
  if (actions !== undefined) columns.push({ title: ACTIONS, cell: actions });
  return <DataTable caption="Budgets" rows={budgets} rowKey={budgetKey} columns={columns} />;
}
