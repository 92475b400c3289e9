// Which models the keys may use, tool calls a turn, how long histories are kept, and the organization's limits.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, inOrganization, type Model, type Organization, take } from "../../api/client.ts";
import { modelsQuery, organizationQuery } from "../../api/queries.ts";
import { useChange } from "../../api/use-change.ts";
import { TextField } from "../../parts/fields.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Screen, Section } from "../../parts/screen.tsx";
import { useSession } from "../../session/session.ts";
import { useOrganizationId } from "../use-organization-id.ts";
import { describeLimits, LIMITS } from "./limits.ts";
import { LimitFields } from "./limit-fields.tsx";
import { LimitsInForce } from "./limits-now.tsx";
import { AllowedModels, ModelList } from "./model-list.tsx";
import { OtherSide } from "./other-side.tsx";
import { RetentionForm } from "./retention-form.tsx";
import { changedOf, describePolicy, describeToolCalls, ownRules } from "./rules.ts";
import { SaveForm } from "./save-form.tsx";
import { TryPolicy } from "./try-policy.tsx";

export function Policy() {
  const organizationId = useOrganizationId();
  const organization = useQuery(organizationQuery(organizationId));
  const models = useQuery(modelsQuery);
  return (
    <Screen title="Policy and limits">
      <Loaded query={organization}>
        {(data) => (
          <Loaded query={models}>
            {(catalog) => (
              // A refresh leaves what is being typed; another organization has forms of its own.
              <div key={data.id} className="screen">
                <PolicyForm organization={data} catalog={catalog} />
                <RetentionForm organizationId={data.id} />
                <LimitsForm organization={data} />
              </div>
            )}
          </Loaded>
        )}
      </Loaded>
    </Screen>
  );
}

function PolicyForm({ organization, catalog }: { organization: Organization; catalog: readonly Model[] }) {
  const { role } = useSession();
  const { id: organizationId, ceilings, own } = organization;
  const { policy } = ownRules(organization, role);
  const other = (role === "operator" ? own : ceilings)?.policy;
  const [allowed, setAllowed] = useState<readonly string[] | null>(policy.allow_models);
  const [denied, setDenied] = useState<readonly string[]>(policy.deny_models);
  const [toolCalls, setToolCalls] = useState(policy.tool_calls_per_turn?.toString() ?? "");
  const change = useChange(() => {
    const body = {
      allow_models: allowed && [...allowed],
      deny_models: [...denied],
      tool_calls_per_turn: toolCalls === "" ? null : Number(toolCalls),
    };
    const init = { ...inOrganization(organizationId), body: changedOf(policy, body) };
    return take(api.POST("/organizations/{organization_id}/policy", init));
  });
  return (
    <Section title="Policy">
      {other !== undefined && <OtherSide rules={describePolicy(other)} />}
      <SaveForm action="Save the policy" change={change}>
        <AllowedModels catalog={catalog} allowed={allowed} onChange={setAllowed} />
        <ModelList legend="Denied models" catalog={catalog} chosen={denied} onChange={setDenied} />
        <TryPolicy organizationId={organizationId} rules={{ allowed, denied }} />
        <TextField
          label="Tool calls a response, at most"
          description={`Empty: ${describeToolCalls(other, role)}`}
          type="number"
          min={0}
          value={toolCalls}
          onChange={setToolCalls}
        />
      </SaveForm>
    </Section>
  );
}

function LimitsForm({ organization }: { organization: Organization }) {
  const { role } = useSession();
  const { id: organizationId, ceilings, own } = organization;
  const { limits: before } = ownRules(organization, role);
  const other = (role === "operator" ? own : ceilings)?.limits;
  const [limits, setLimits] = useState(before);
  const change = useChange(() => {
    const init = { ...inOrganization(organizationId), body: changedOf(before, limits) };
    return take(api.POST("/organizations/{organization_id}/limits", init));
  });
  return (
    <Section title="Limits">
      {other !== undefined && <OtherSide rules={describeLimits(other)} />}
      <SaveForm action="Save the limits" change={change}>
        <LimitFields
          names={LIMITS}
          empty={
            role === "operator"
              ? "the service's setting"
              : other === undefined
                ? "the service's setting"
                : "as the operator has set it"
          }
          limits={limits}
          onChange={(changed) => setLimits({ ...limits, ...changed })}
        />
      </SaveForm>
      <LimitsInForce organizationId={organizationId} />
    </Section>
  );
}
