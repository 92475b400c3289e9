// Budgets, and what pays for turns.
import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Budget } from "../../api/client.ts";
import { budgetsQuery, organizationQuery } from "../../api/queries.ts";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { RowAction } from "../../parts/row-action.tsx";
import { Screen, Section } from "../../parts/screen.tsx";
import { useOrganizationId } from "../use-organization-id.ts";
import { BudgetTable, PERIODS, useBudgetNames } from "./budget-table.tsx";
import { ClearBudget } from "./clear-budget.tsx";
import { Increases } from "./increases.tsx";
import { Paying } from "./paying.tsx";
import { RaiseBudget } from "./raise-budget.tsx";
import { SetBudget } from "./set-budget.tsx";
import { Transfers } from "./transfers.tsx";

export function Budgets() {
  const id = useOrganizationId();
  const organization = useQuery(organizationQuery(id));
  const budgets = useQuery(budgetsQuery(id));
  const [isSetting, setSetting] = useState(false);
  const [clearing, setClearing] = useState<Budget | null>(null);
  const [raising, setRaising] = useState<Budget | null>(null);
  const [changing, setChanging] = useState<Budget | null>(null);
  const nameOf = useBudgetNames(id);
  const action = (label: string, budget: Budget, open: (of: Budget) => void) => (
    <RowAction
      label={label}
      name={`${label} the budget of ${nameOf(budget)}, ${PERIODS[budget.period]}`}
      onClick={() => open(budget)}
    />
  );
  return (
    <Screen title="Budgets and credits">
      <Loaded query={organization}>{(data) => <Paying organization={data} />}</Loaded>
      <Increases id={id} />
      <Section title="Budgets" actions={<Button onClick={() => setSetting(true)}>Set a budget</Button>}>
        <Text size="sm">
          A budget limits what is spent in its period. A request that begins when it is used up, or reserved by running
          turns, gets 429 <code>scope_budget_exceeded</code> and costs nothing. A turn that reaches the limit while it
          runs fails there: it keeps its output so far and is charged for that, never for more than the limit.
        </Text>
        <Loaded query={budgets}>
          {(data) =>
            data.length === 0 ? (
              <Empty title="No budget">Nothing but the balance limits what is spent. Set the first budget above.</Empty>
            ) : (
              <BudgetTable
                organizationId={id}
                budgets={data}
                actions={(budget) => (
                  <div className="row-actions">
                    {action("Change", budget, setChanging)}
                    {action("Raise", budget, setRaising)}
                    {action("Remove", budget, setClearing)}
                  </div>
                )}
              />
            )
          }
        </Loaded>
      </Section>
      <Transfers id={id} />
      {isSetting && <SetBudget id={id} onClose={() => setSetting(false)} />}
      {changing !== null && <SetBudget id={id} given={changing} onClose={() => setChanging(null)} />}
      {raising !== null && <RaiseBudget id={id} budget={raising} onClose={() => setRaising(null)} />}
      {clearing !== null && <ClearBudget id={id} budget={clearing} onClose={() => setClearing(null)} />}
    </Screen>
  );
}
