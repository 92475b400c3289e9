// Raises a budget for a while.
import { Text } from "@mantine/core";
import { useState } from "react";
import { api, type Budget, inOrganization, take } from "../../api/client.ts";
import { CreditsField } from "../../parts/credits-field.tsx";
import { localInputOf, secondsOf, timeOf } from "../../parts/days.ts";
import { FormDialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/fields.tsx";
import { useMoneyWords } from "../../parts/money.tsx";
import { useBudgetNames } from "./budget-names.ts";
import { referenceTo } from "./budget-table.tsx";

const DAY_SECONDS = 86_400;

export function RaiseBudget({ organizationId, budget }: { organizationId: string; budget: Budget }) {
  const name = useBudgetNames(organizationId)(budget);
  const words = useMoneyWords();
  const { limit, raise } = budget;
  const [amount, setAmount] = useState(raise === undefined ? "" : String(raise.amount));
  const [until, setUntil] = useState(() => localInputOf(timeOf(raise?.until ?? Date.now() / 1000 + DAY_SECONDS)));
  const submit = () => {
    const body = { ...referenceTo(budget), amount: Number(amount), until: secondsOf(until) };
    return take(
      api.POST("/organizations/{organization_id}/budgets/raise", { ...inOrganization(organizationId), body }),
    );
  };
  return (
    <FormDialog
      title={`Raise the budget of ${name}`}
      action="Raise the budget"
      said={Number(amount) === 0 ? `The raise of the budget of ${name} is ended.` : `The budget of ${name} is raised.`}
      onSubmit={submit}
    >
      <Text size="sm">Until then it may spend more than its limit of {words(limit)}. The raise ends by itself.</Text>
      <CreditsField
        label="Credits in addition"
        description="0 ends a raise"
        required
        value={amount}
        onChange={setAmount}
      />
      <TextField
        label="Until"
        description="In your time zone"
        type="datetime-local"
        required
        value={until}
        onChange={setUntil}
      />
    </FormDialog>
  );
}
