// Creating, rotating and revoking a key.
import { Checkbox, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, inOrganization, type Key, take } from "../../api/client.ts";
import { membersQuery, runningQuery } from "../../api/queries.ts";
import { CreditsField } from "../../parts/credits-field.tsx";
import { Confirm, FormDialog } from "../../parts/dialog.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { Time } from "../../parts/time.tsx";
import { KeyLimitFields } from "./key-limits.tsx";
import type { CreatedSecret } from "./new-secret.tsx";

const NAME_CHARACTERS_MIN = 3;
const PERMISSIONS = [
  { value: "all", label: "all operations" },
  { value: "read", label: "reading only" },
  { value: "none", label: "nothing" },
] as const;
const UNANSWERED_CALLS = [
  { value: "refuse", label: "reject the message" },
  { value: "drop", label: "drop the calls and go on" },
] as const;
const GRACES = [
  { value: "none", label: "at once, with those of earlier rotations" },
  { value: "1h", label: "in an hour" },
  { value: "24h", label: "in a day" },
  { value: "7d", label: "in a week" },
] as const;

export function CreateKey({
  organizationId,
  onCreated,
}: {
  organizationId: string;
  onCreated: (created: CreatedSecret) => void;
}) {
  const { data: members = [] } = useQuery(membersQuery(organizationId));
  const [name, setName] = useState("");
  const [member, setMember] = useState("");
  const [permissions, setPermissions] = useState<Key["permissions"]>("all");
  const [unansweredCalls, setUnansweredCalls] = useState<Key["unanswered_calls"]>("refuse");
  const [limits, setLimits] = useState<Partial<Key["limits"]> | null>(null);
  const [budget, setBudget] = useState("");
  const create = async (): Promise<CreatedSecret> => {
    const path = inOrganization(organizationId);
    const rules = { permissions, unanswered_calls: unansweredCalls, ...limits };
    const body = { name, ...rules, ...(member === "" ? {} : { member }) };
    const created = await take(api.POST("/organizations/{organization_id}/keys", { ...path, body }));
    if (budget === "") return created;
    const ofKey = { scope: "key", id: created.id, period: "month", limit: Number(budget) } as const;
    try {
      await take(api.POST("/organizations/{organization_id}/budgets", { ...path, body: ofKey }));
    } catch (budgetError) {
      // The key exists, and its secret is shown only now.
      return { ...created, budgetError };
    }
    return created;
  };
  return (
    <FormDialog title="Create a key" action="Create the key" onSubmit={create} onDone={onCreated}>
      <TextField
        label="Name"
        description="What the key is for"
        required
        minLength={NAME_CHARACTERS_MIN}
        data-autofocus
        value={name}
        onChange={setName}
      />
      <SelectField
        label="Belongs to"
        value={member}
        data={[
          { value: "", label: "nobody: a key of the organization" },
          ...members.map(({ id: value, email }) => ({ value, label: email })),
        ]}
        onChange={setMember}
      />
      <CreditsField
        label="Budget a month, credits"
        description="Empty: only the other budgets and the balance limit it"
        value={budget}
        onChange={setBudget}
      />
      <details className="more">
        <summary>More</summary>
        <Stack gap="md">
          <SelectField label="Permission" value={permissions} data={PERMISSIONS} onChange={setPermissions} />
          <SelectField
            label="When a message comes while function calls wait for their outputs"
            value={unansweredCalls}
            data={UNANSWERED_CALLS}
            onChange={setUnansweredCalls}
          />
          <Checkbox
            label="With limits of its own, within the organization's"
            checked={limits !== null}
            onChange={({ currentTarget }) => setLimits(currentTarget.checked ? {} : null)}
          />
          {limits !== null && <KeyLimitFields limits={limits} onChange={setLimits} />}
        </Stack>
      </details>
    </FormDialog>
  );
}

export function RotateKey({
  organizationId,
  apiKey,
  onCreated,
}: {
  organizationId: string;
  apiKey: Key;
  onCreated: (created: CreatedSecret) => void;
}) {
  const [grace, setGrace] = useState<"none" | "1h" | "24h" | "7d">("24h");
  const rotate = () => {
    const init = { ...inOrganization(organizationId, { key_id: apiKey.id }), body: { grace } };
    return take(api.POST("/organizations/{organization_id}/keys/{key_id}/rotate", init));
  };
  return (
    <FormDialog
      title={`Rotate the key ${apiKey.name}`}
      action="Create a new secret"
      onSubmit={rotate}
      onDone={({ secret, old_secret_valid_until: oldValidUntil }) =>
        onCreated({ name: apiKey.name, secret, oldValidUntil })
      }
    >
      <SelectField label="The old secret stops working" value={grace} data={GRACES} onChange={setGrace} />
    </FormDialog>
  );
}

export function RevokeKey({ organizationId, apiKey }: { organizationId: string; apiKey: Key }) {
  const { data: running } = useQuery(runningQuery(organizationId));
  const turns = running?.data.filter((turn) => turn.key === apiKey.id).length ?? 0;
  return (
    <Confirm
      title={`Revoke the key ${apiKey.name}?`}
      consequence={
        <>
          Whatever uses {apiKey.name} stops at once, for good: every request with it gets 401. Its responses and
          conversations can no longer be reached.{" "}
          {apiKey.last_used_at === null ? (
            "It has never been used."
          ) : (
            <>
              It was last used on <Time at={apiKey.last_used_at} />.
            </>
          )}
          {turns > 0 && ` ${turns === 1 ? "1 response runs" : `${turns} responses run`} with it now, to the end.`}
        </>
      }
      action="Revoke the key"
      said={`The key ${apiKey.name} is revoked.`}
      onConfirm={() =>
        take(
          api.POST(
            "/organizations/{organization_id}/keys/{key_id}/revoke",
            inOrganization(organizationId, { key_id: apiKey.id }),
          ),
        )
      }
    />
  );
}
