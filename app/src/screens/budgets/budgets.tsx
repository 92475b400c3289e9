// Budgets, and what pays for turns.
import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Budget } from "../../api/client.ts";
import { budgetsQuery, organizationQuery } from "../../api/queries.ts";
import { useDialog } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import { Screen, Section } from "../../parts/screen.tsx";
import { useSession } from "../../session/session.ts";
import { useOrganizationId } from "../use-organization-id.ts";
import { useBudgetNames } from "./budget-names.ts";
import { BudgetTable } from "./budget-table.tsx";
import { PERIODS } from "./periods.ts";
import { ClearBudget } from "./clear-budget.tsx";
import { Increases } from "./increases.tsx";
import { Paying } from "./paying.tsx";
import { RaiseBudget } from "./raise-budget.tsx";
import { SetBudget } from "./set-budget.tsx";
import { Transfers } from "./transfers.tsx";

export function Budgets() {
  const organizationId = useOrganizationId();
  const organization = useQuery(organizationQuery(organizationId));
  const budgets = useQuery(budgetsQuery(organizationId));
  const { open, dialog } = useDialog();
  const nameOf = useBudgetNames(organizationId);
  const { role } = useSession();
  const actionsOf = (budget: Budget) => {
    // The others get an error for what the operator's limit does not leave.
    const { limit, ceiling = null, own_limit: own = null } = role === "operator" ? { limit: budget.limit } : budget;
    return (
      <RowActions
        subject={`the budget of ${nameOf(budget)}, ${PERIODS[budget.period]}`}
        actions={{
          Change: () => open(<SetBudget organizationId={organizationId} initial={budget} />),
          ...(ceiling === null || limit < ceiling
            ? { Raise: () => open(<RaiseBudget organizationId={organizationId} budget={budget} />) }
            : {}),
        }}
        dangerous={
          ceiling === null || own !== null
            ? { Remove: () => open(<ClearBudget organizationId={organizationId} budget={budget} />) }
            : {}
        }
      />
    );
  };
  return (
    <Screen title="Budgets and credits">
      <Loaded query={organization}>{(data) => <Paying organization={data} />}</Loaded>
      <Increases organizationId={organizationId} />
      <Section
        title="Budgets"
        actions={<Button onClick={() => open(<SetBudget organizationId={organizationId} />)}>Set a budget</Button>}
      >
        <Text size="sm">
          A budget limits the spending of its period. When it is used up, or reserved by running responses, new requests
          get 429 <code>scope_budget_exceeded</code> and cost nothing. A response that reaches the limit fails there: it
          keeps its output so far and is charged for it, never beyond the limit.
        </Text>
        <Loaded
          query={budgets}
          empty={<Empty title="No budget">Only the balance limits spending. Set the first budget above.</Empty>}
        >
          {(data) => <BudgetTable organizationId={organizationId} budgets={data} actions={actionsOf} />}
        </Loaded>
      </Section>
      <Transfers organizationId={organizationId} />
      {dialog}
    </Screen>
  );
}
