// Sets a budget.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Budget, inOrganization, take } from "../../api/client.ts";
import { keysQuery, membersQuery } from "../../api/queries.ts";
import { CreditsField } from "../../parts/credits-field.tsx";
import { FormDialog } from "../../parts/dialog.tsx";
import { SelectField } from "../../parts/fields.tsx";

import { referenceTo } from "./budget-table.tsx";
import { hasPeriod, PERIODS } from "./periods.ts";
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

/** Sets a budget; with `initial`, a new limit for that one. */
export function SetBudget({
  organizationId,
  initial,
}: {
  organizationId: string;
  initial?: Pick<Budget, "scope" | "id" | "period"> & { limit?: number };
}) {
  const [scope, setScope] = useState<Scope>(initial?.scope ?? "organization");
  const [scopeId, setScopeId] = useState(initial?.id ?? "");
  const [period, setPeriod] = useState<Period>(initial?.period ?? "month");
  const [limit, setLimit] = useState(initial?.limit === undefined ? "" : String(initial.limit));
  const { data: keys = [] } = useQuery(keysQuery(organizationId));
  const { data: members = [] } = useQuery(membersQuery(organizationId));
  const options = {
    member: members.map(({ id: value, email }) => ({ value, label: email })),
    key: keys.filter((key) => key.revoked_at === null).map(({ id: value, name }) => ({ value, label: name })),
  };
  const choices = scope === "member" || scope === "key" ? options[scope] : null;
  const chosen = choices === null ? null : scopeId === "" ? (choices[0]?.value ?? "") : scopeId;
  const name = referenceTo({ scope, id: chosen, period });
  const submit = () => {
    const init = { ...inOrganization(organizationId), body: { ...name, limit: Number(limit) } };
    return take(api.POST("/organizations/{organization_id}/budgets", init));
  };
  return (
    <FormDialog title="Set a budget" action="Set the budget" said="The budget is set." onSubmit={submit}>
      <SelectField
        label="Limits what is spent by"
        disabled={initial !== undefined}
        value={scope}
        data={Object.entries(SCOPES).map(([value, label]) => ({ value: value as Scope, label }))}
        onChange={(value) => {
          setScope(value);
          setScopeId("");
        }}
      />
      {choices !== null && (
        <SelectField
          label={scope === "key" ? "Key" : "Member"}
          disabled={initial !== undefined}
          value={chosen ?? ""}
          data={choices}
          onChange={setScopeId}
        />
      )}
      {hasPeriod(scope) && (
        <SelectField
          label="Period (UTC)"
          disabled={initial !== undefined}
          value={period}
          data={Object.entries(PERIODS).map(([value, label]) => ({ value: value as Period, label }))}
          onChange={setPeriod}
        />
      )}
      <CreditsField label="Limit, credits" required value={limit} onChange={setLimit} />
      {scope !== "response" && <TryBudget organizationId={organizationId} budget={{ ...name, limit }} />}
    </FormDialog>
  );
}
