// Sets a budget.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Budget, inOrganization, take } from "../../api/client.ts";
import { keysQuery, membersQuery } from "../../api/queries.ts";
import { FormDialog } from "../../parts/dialog.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { hasPeriod, PERIODS, referenceTo } from "./budget-table.tsx";
import { TryBudget } from "./try-budget.tsx";

type Scope = Budget["scope"];
type Period = Budget["period"];

const SCOPES: Readonly<Record<Scope, string>> = {
  organization: "the organization",
  "organization-day": "a day of the organization",
  member: "a member",
  key: "a key",
  response: "each response",
};

/** Sets a budget; with `given`, a new limit for that one. */
export function SetBudget({
  id,
  given,
}: {
  id: string;
  given?: Pick<Budget, "scope" | "id" | "period"> & { limit?: number };
}) {
  const [scope, setScope] = useState<Scope>(given?.scope ?? "organization");
  const [of, setOf] = useState(given?.id ?? "");
  const [period, setPeriod] = useState<Period>(given?.period ?? "month");
  const [limit, setLimit] = useState(given?.limit === undefined ? "" : String(given.limit));
  const { data: keys = [] } = useQuery(keysQuery(id));
  const { data: members = [] } = useQuery(membersQuery(id));
  const options = {
    member: members.map(({ id: value, email }) => ({ value, label: email })),
    key: keys.filter((key) => key.revoked_at === null).map(({ id: value, name }) => ({ value, label: name })),
  };
  const choices = scope === "member" || scope === "key" ? options[scope] : null;
  const chosen = choices === null ? null : of === "" ? (choices[0]?.value ?? "") : of;
  const name = referenceTo({ scope, id: chosen, period });
  const submit = () => {
    const init = { ...inOrganization(id), body: { ...name, limit: Number(limit) } };
    return take(api.POST("/organizations/{organization_id}/budgets", init));
  };
  return (
    <FormDialog title="Set a budget" action="Set the budget" onSubmit={submit}>
      <SelectField
        label="Limits what is spent by"
        disabled={given !== undefined}
        value={scope}
        data={Object.entries(SCOPES).map(([value, label]) => ({ value: value as Scope, label }))}
        onChange={(value) => {
          setScope(value);
          setOf("");
        }}
      />
      {choices !== null && (
        <SelectField
          label={scope === "key" ? "Key" : "Member"}
          disabled={given !== undefined}
          value={chosen ?? ""}
          data={choices}
          onChange={setOf}
        />
      )}
      {hasPeriod(scope) && (
        <SelectField
          label="Period (UTC)"
          disabled={given !== undefined}
          value={period}
          data={Object.entries(PERIODS).map(([value, label]) => ({ value: value as Period, label }))}
          onChange={setPeriod}
        />
      )}
      <TextField label="Limit, credits" type="number" min={0} step="any" required value={limit} onChange={setLimit} />
      {scope !== "response" && <TryBudget id={id} budget={{ ...name, limit }} />}
    </FormDialog>
  );
}
