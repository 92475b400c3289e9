// Removes a budget.
import { api, type Budget, inOrganization, take } from "../../api/client.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { useMoneyWords } from "../../parts/money.tsx";
import { useBudgetNames } from "./budget-names.ts";
import { referenceTo } from "./budget-table.tsx";
import { PERIODS } from "./periods.ts";

export function ClearBudget({ organizationId, budget }: { organizationId: string; budget: Budget }) {
  const name = useBudgetNames(organizationId)(budget);
  const words = useMoneyWords();
  const clear = () => {
    const init = { ...inOrganization(organizationId), body: referenceTo(budget) };
    return take(api.POST("/organizations/{organization_id}/budgets/clear", init));
  };
  return (
    <Confirm
      title={`Remove the budget of ${name}?`}
      consequence={`Its limit of ${words(budget.limit)} ${PERIODS[budget.period]} no longer stops requests.`}
      action="Remove the budget"
      said={`The budget of ${name} is removed.`}
      onConfirm={clear}
    />
  );
}
