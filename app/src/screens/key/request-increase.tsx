// The holder of a key asks for more than a budget's limit.
import { Text } from "@mantine/core";
import { useState } from "react";
import { type KeyHolder, keyApi, take } from "../../api/client.ts";
import { CreditsField } from "../../parts/credits-field.tsx";
import { FormDialog } from "../../parts/dialog.tsx";
import { useMoneyWords } from "../../parts/money.tsx";

export function RequestIncrease({ budget, name }: { budget: KeyHolder["budgets"][number]; name: string }) {
  const { scope, period, limit, left, resets_at: resetsAt } = budget;
  const words = useMoneyWords();
  const [amount, setAmount] = useState(budget.increase === undefined ? "" : String(budget.increase.amount));
  const ask = () => take(keyApi.POST("/me/budget-increases", { body: { scope, period, amount: Number(amount) } }));
  return (
    <FormDialog title={`Ask for more: ${name}`} action="Send the request" said="The request is sent." onSubmit={ask}>
      <Text size="sm">
        {scope === "response"
          ? `A response may cost ${words(limit)}. `
          : `${words(left)} of ${words(limit)} are left. `}
        An owner or admin of the organization sees the request and grants or declines it.
        {resetsAt !== null && " What is granted counts until the budget resets."}
      </Text>
      <CreditsField
        label="Credits in addition"
        min={0.000001}
        required
        data-autofocus
        value={amount}
        onChange={setAmount}
      />
    </FormDialog>
  );
}
