// Which models the keys may use, tool calls a turn, how long histories are kept, and the organization's limits.
import { Checkbox, Fieldset, Stack, Textarea } from "@mantine/core";
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
import { LimitsInForce } from "./limits-now.tsx";
import { OtherSide } from "./other-side.tsx";
import { RetentionForm } from "./retention-form.tsx";
import { changedOf, describePolicy, ownRules } from "./rules.ts";
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
  const [isLimited, setLimited] = useState(policy.allow_models !== null);
  const [allowed, setAllowed] = useState<readonly string[]>(policy.allow_models ?? []);
  const [denied, setDenied] = useState<readonly string[]>(policy.deny_models);
  const [toolCalls, setToolCalls] = useState(policy.tool_calls_per_turn?.toString() ?? "");
  const change = useChange(() => {
    const body = {
      allow_models: isLimited ? [...allowed] : null,
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
        <Checkbox
          label="Only the models on a list may be used"
          checked={isLimited}
          onChange={({ currentTarget }) => setLimited(currentTarget.checked)}
        />
        {isLimited && <ModelList legend="Allowed models" catalog={catalog} chosen={allowed} onChange={setAllowed} />}
        <ModelList legend="Denied models" catalog={catalog} chosen={denied} onChange={setDenied} />
        <TryPolicy organizationId={organizationId} rules={{ allowed: isLimited ? allowed : null, denied }} />
        <TextField
          label="Tool calls a turn, at most"
          description="Empty: no limit"
          type="number"
          min={0}
          value={toolCalls}
          onChange={setToolCalls}
        />
      </SaveForm>
    </Section>
  );
}

/** Models of the catalog to tick, and others by their ids: a rule may come before its model. */
function ModelList({
  legend,
  catalog,
  chosen,
  onChange,
}: {
  legend: string;
  catalog: readonly Model[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}) {
  const ids = catalog.map((model) => model.id);
  const [others, setOthers] = useState(chosen.filter((id) => !ids.includes(id)).join("\n"));
  const ticked = chosen.filter((id) => ids.includes(id));
  const readLines = (text: string) => text.split(/\s+/).filter((line) => line !== "" && !ids.includes(line));
  return (
    <Fieldset legend={legend}>
      <Stack gap="xs">
        {ids.map((id) => (
          <Checkbox
            key={id}
            label={id}
            checked={ticked.includes(id)}
            onChange={({ currentTarget }) => {
              const rest = ticked.filter((other) => other !== id);
              onChange([...(currentTarget.checked ? [...rest, id] : rest), ...readLines(others)]);
            }}
          />
        ))}
        <Textarea
          label="Others, by id, one a line"
          autosize={false}
          value={others}
          onChange={({ currentTarget }) => {
            setOthers(currentTarget.value);
            onChange([...ticked, ...readLines(currentTarget.value)]);
          }}
        />
      </Stack>
    </Fieldset>
  );
}

function LimitsForm({ organization }: { organization: Organization }) {
  const { role } = useSession();
  const { id: organizationId, ceilings, own } = organization;
  const { limits } = ownRules(organization, role);
  const other = (role === "operator" ? own : ceilings)?.limits;
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(LIMITS.map(([name]) => [name, limits[name]?.toString() ?? ""])),
  );
  const change = useChange(() => {
    const body = Object.fromEntries(LIMITS.map(([name]) => [name, values[name] === "" ? null : Number(values[name])]));
    const init = { ...inOrganization(organizationId), body: changedOf<Record<string, number | null>>(limits, body) };
    return take(api.POST("/organizations/{organization_id}/limits", init));
  });
  return (
    <Section title="Limits">
      {other !== undefined && <OtherSide rules={describeLimits(other)} />}
      <SaveForm action="Save the limits" change={change}>
        {LIMITS.map(([name, label, min]) => (
          <TextField
            key={name}
            label={label}
            description={role === "operator" ? "Empty: the service's setting" : "Empty: as the operator has set it"}
            type="number"
            min={min}
            value={values[name] ?? ""}
            onChange={(value) => setValues({ ...values, [name]: value })}
          />
        ))}
      </SaveForm>
      <LimitsInForce organizationId={organizationId} />
    </Section>
  );
}
