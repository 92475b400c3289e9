// Removes a budget.
import { api, type Budget, take } from "../../api/client.ts";
import { useChange } from "../../api/use-change.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { formatCredits } from "../../parts/format.ts";
import { PERIODS, useBudgetNames } from "./budget-table.tsx";

export function ClearBudget({ id, budget, onClose }: { id: string; budget: Budget; onClose: () => void }) {
  const name = useBudgetNames(id)(budget);
  const { scope, period } = budget;
  const change = useChange(() => {
    const hasPeriod = scope !== "organization-day" && scope !== "response";
    const body = { scope, ...(budget.id === null ? {} : { id: budget.id }), ...(hasPeriod ? { period } : {}) };
    const params = { path: { organization_id: id } };
    return take(api.POST("/organizations/{organization_id}/budgets/clear", { params, body }));
  });
  return (
    <Confirm
      title={`Remove the budget of ${name}?`}
      consequence={`Its limit of ${formatCredits(budget.limit)} credits ${PERIODS[period]} no longer stops requests.`}
      action="Remove the budget"
      onConfirm={() => change.mutateAsync()}
      onClose={onClose}
    />
  );
}
