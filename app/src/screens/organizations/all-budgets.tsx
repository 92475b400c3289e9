// The budgets of all organizations, those that are used most first.
import type { Budget, Spending } from "../../api/client.ts";
import { Empty } from "../../parts/empty.tsx";
import { Id } from "../../parts/id.tsx";
import { TextLink } from "../../parts/link.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { Meter } from "../../parts/meter.tsx";
import { Credits } from "../../parts/money.tsx";
import { Status } from "../../parts/status.tsx";
import { budgetKey } from "../budgets/budget-table.tsx";
import { limitNow, periodOf, shareOf } from "../budgets/periods.ts";

interface Row {
  readonly organization: string;
  readonly name: string;
  readonly budget: Budget;
}

const SCOPES: Readonly<Record<Budget["scope"], string>> = {
  organization: "the organization",
  "organization-day": "a day",
  response: "each response",
  member: "member",
  key: "key",
};

export function AllBudgets({ spending }: { spending: readonly Spending[] }) {
  const rows = spending
    .flatMap(({ organization, organization_name: name, budgets }) =>
      budgets.map((budget): Row => ({ organization, name, budget })),
    )
    // The limit of each response is used up by nothing but that response.
    .filter(({ budget }) => budget.scope !== "response")
    .toSorted((one, other) => shareOf(other.budget) - shareOf(one.budget));
  if (rows.length === 0) return <Empty title="No budget">Only the balances limit what is spent.</Empty>;
  return (
    <ListTable
      caption="Budgets of all organizations"
      find="Find a budget"
      rows={rows}
      rowKey={({ organization, budget }) => `${organization} ${budgetKey(budget)}`}
      columns={[
        {
          title: "Organization",
          isWide: true,
          value: ({ name }) => name,
          cell: ({ organization, name }) => (
            <TextLink to="/organizations/$organizationId/budgets" params={{ organizationId: organization }}>
              {name}
            </TextLink>
          ),
        },
        {
          title: "Budget of",
          value: ({ budget }) => `${SCOPES[budget.scope]} ${budget.id ?? ""}`,
          cell: ({ budget }) => (
            <>
              {SCOPES[budget.scope]} {budget.id !== null && <Id id={budget.id} />}
            </>
          ),
        },
        { title: "Period", value: ({ budget }) => periodOf(budget), cell: ({ budget }) => periodOf(budget) },
        {
          title: "Used",
          value: ({ budget }) => shareOf(budget),
          cell: ({ name, budget }) => (
            <span className="of-row">
              <Meter share={shareOf(budget)} label={`${name}, ${budget.scope}`} />
              {budget.spent >= limitNow(budget) && <Status tone="bad">used up</Status>}
            </span>
          ),
        },
        {
          title: "Spent, credits",
          isNumber: true,
          value: ({ budget }) => budget.spent,
          cell: ({ budget }) => <Credits amount={budget.spent} />,
        },
        {
          title: "Limit, credits",
          isNumber: true,
          value: ({ budget }) => limitNow(budget),
          cell: ({ budget }) => <Credits amount={limitNow(budget)} />,
        },
      ]}
    />
  );
}
