// The limits of a key itself, within those of its organization.
import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, inOrganization, type Key, take } from "../../api/client.ts";
import { modelsQuery } from "../../api/queries.ts";
import { FormDialog } from "../../parts/dialog.tsx";
import { LimitFields } from "../policy/limit-fields.tsx";
import { KEY_LIMITS } from "../policy/limits.ts";
import { AllowedModels } from "../policy/model-list.tsx";
import { changedOf } from "../policy/rules.ts";

type Limits = Key["limits"];

export function KeyLimits({ organizationId, apiKey }: { organizationId: string; apiKey: Key }) {
  const [limits, setLimits] = useState(apiKey.limits);
  const change = () => {
    const init = { ...inOrganization(organizationId, { key_id: apiKey.id }), body: changedOf(apiKey.limits, limits) };
    return take(api.POST("/organizations/{organization_id}/keys/{key_id}", init));
  };
  return (
    <FormDialog
      title={`Limits of the key ${apiKey.name}`}
      action="Save the limits"
      said={`The limits of ${apiKey.name} are saved.`}
      onSubmit={change}
    >
      <KeyLimitFields limits={limits} onChange={setLimits} />
    </FormDialog>
  );
}

/** The fields of the limits; one that is not there is null. */
export function KeyLimitFields<Given extends Partial<Limits>>({
  limits,
  onChange,
}: {
  limits: Given;
  onChange: (limits: Given) => void;
}) {
  const { data: catalog } = useQuery(modelsQuery);
  return (
    <Stack gap="sm">
      {catalog !== undefined && (
        <AllowedModels
          catalog={catalog}
          allowed={limits.allow_models ?? null}
          onChange={(allowed) => onChange({ ...limits, allow_models: allowed && [...allowed] })}
        />
      )}
      <LimitFields
        names={KEY_LIMITS}
        empty="the organization's alone"
        limits={limits}
        onChange={(changed) => onChange({ ...limits, ...changed })}
      />
    </Stack>
  );
}
