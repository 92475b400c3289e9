// Raises a budget for a while.
import { Text } from "@mantine/core";
import { useState } from "react";
import { api, type Budget, take } from "../../api/client.ts";
import { useChange } from "../../api/use-change.ts";
import { FormDialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/fields.tsx";
import { formatCredits } from "../../parts/format.ts";
import { useBudgetNames } from "./budget-table.tsx";

const DAY_MS = 86_400_000;

/** A time as its input field has it: in the zone of the person, to the minute. */
function toLocalField(atMs: number): string {
  const zoneMs = new Date(atMs).getTimezoneOffset() * 60_000;
  return new Date(atMs - zoneMs).toISOString().slice(0, 16);
}

export function RaiseBudget({ id, budget, onClose }: { id: string; budget: Budget; onClose: () => void }) {
  const name = useBudgetNames(id)(budget);
  const { scope, period, limit, raise } = budget;
  const [amount, setAmount] = useState(raise === undefined ? "" : String(raise.amount));
  const [until, setUntil] = useState(() =>
    toLocalField(raise === undefined ? Date.now() + DAY_MS : raise.until * 1000),
  );
  const change = useChange(() => {
    const hasPeriod = scope !== "organization-day" && scope !== "response";
    const body = {
      scope,
      ...(budget.id === null ? {} : { id: budget.id }),
      ...(hasPeriod ? { period } : {}),
      amount: Number(amount),
      until: Math.floor(Date.parse(until) / 1000),
    };
    return take(
      api.POST("/organizations/{organization_id}/budgets/raise", { params: { path: { organization_id: id } }, body }),
    );
  }, onClose);
  return (
    <FormDialog
      title={`Raise the budget of ${name}`}
      action="Raise the budget"
      onSubmit={() => change.mutateAsync()}
      onClose={onClose}
    >
      <Text size="sm">
        Until then it may spend more than its limit of {formatCredits(limit)} credits. The raise ends by itself.
      </Text>
      <TextField
        label="Credits in addition"
        description="0 ends a raise"
        type="number"
        min={0}
        step="any"
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
