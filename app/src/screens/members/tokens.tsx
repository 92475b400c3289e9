// Tokens for programs: of an organization, or (for the operator) of everything.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, inOrganization, type Member, take, type Token } from "../../api/client.ts";
import { allTokensQuery, tokensQuery } from "../../api/queries.ts";
import { ACTIONS } from "../../parts/data-table.tsx";
import { secondsOf } from "../../parts/days.ts";
import { Confirm, FormDialog, useDialog } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { ShortIds } from "../../parts/id.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import { Section } from "../../parts/screen.tsx";
import { SecretOnce } from "../../parts/secret-once.tsx";
import { Status } from "../../parts/status.tsx";
import { Ago, Time } from "../../parts/time.tsx";
import { rolesToGive } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";
import { useNames } from "../names.ts";

/** The tokens of an organization. */
export function Tokens({ organizationId }: { organizationId: string }) {
  const { role } = useSession();
  const tokens = useQuery(tokensQuery(organizationId));
  return (
    <TokenSection
      organizationId={organizationId}
      title="Tokens"
      tokens={tokens}
      roles={rolesToGive(role)}
      onCreate={({ role: tokenRole, ...limits }) => {
        const body = { ...limits, role: tokenRole };
        return take(api.POST("/organizations/{organization_id}/tokens", { ...inOrganization(organizationId), body }));
      }}
      onRevoke={(token) => {
        const init = inOrganization(organizationId, { token_id: token.id });
        return take(api.POST("/organizations/{organization_id}/tokens/{token_id}/revoke", init));
      }}
    />
  );
}

/** All tokens of the service; the operator creates operator tokens here. */
export function AllTokens() {
  const tokens = useQuery(allTokensQuery);
  return (
    <TokenSection
      organizationId={null}
      title="Tokens of the whole service"
      tokens={tokens}
      roles={null}
      onCreate={({ name, permissions, expires_at }) =>
        take(api.POST("/tokens", { body: { name, permissions, expires_at } }))
      }
      onRevoke={(token) => take(api.POST("/tokens/{token_id}/revoke", { params: { path: { token_id: token.id } } }))}
    />
  );
}

/** What a person enters of a new token. */
interface NewToken {
  readonly name: string;
  readonly role: Member["role"];
  readonly permissions: Token["permissions"];
  readonly expires_at: number | null;
}

function TokenSection({
  organizationId,
  title,
  tokens,
  roles,
  onCreate,
  onRevoke,
}: {
  organizationId: string | null;
  title: string;
  tokens: Parameters<typeof Loaded<readonly Token[]>>[0]["query"];
  /** The roles to choose from; null: an operator's token. */
  roles: readonly Member["role"][] | null;
  onCreate: (token: NewToken) => Promise<{ name: string; secret: string }>;
  onRevoke: (token: Token) => Promise<unknown>;
}) {
  const { open, dialog } = useDialog();
  const named = useNames(organizationId);
  const makerOf = ({ created_by: maker }: Token) => (maker === null ? "" : named(`${maker.kind} ${maker.id}`));
  const create = () => open(<CreateToken roles={roles} onCreate={onCreate} onCreated={showSecret} />);
  const showSecret = ({ name, secret }: { name: string; secret: string }) =>
    open(<SecretOnce title={`The secret of ${name}`} secret={secret} noun="the token" />);
  const confirmRevoke = (token: Token) =>
    open(
      <Confirm
        title={`Revoke the token ${token.name}?`}
        consequence={`Programs that use ${token.name} can no longer manage anything.`}
        action="Revoke the token"
        said={`The token ${token.name} is revoked.`}
        onConfirm={() => onRevoke(token)}
      />,
    );
  return (
    <Section
      title={title}
      actions={
        <Button variant="default" onClick={create}>
          {roles === null ? "Create an operator token" : "Create a token"}
        </Button>
      }
    >
      <Loaded
        query={tokens}
        empty={
          <Empty title="No token">
            For programs that manage {roles === null ? "the service" : "this organization"}. API keys cannot do that.
          </Empty>
        }
      >
        {(data) => (
          <ListTable
            caption={title}
            find="Find a token"
            rows={data}
            rowKey={(token) => token.id}
            columns={[
              { title: "Name", isWide: true, value: ({ name }) => name, cell: ({ name }) => name },
              { title: "Role", value: ({ role }) => role, cell: ({ role }) => role },
              { title: "Created", value: ({ created }) => created, cell: ({ created }) => <Ago at={created} /> },
              { title: "Created by", value: makerOf, cell: (token) => <ShortIds text={makerOf(token)} /> },
              {
                title: "State",
                cell: (token) => <State token={token} />,
              },
              {
                title: ACTIONS,
                cell: (token) =>
                  token.revoked_at === null && (
                    <RowActions
                      subject={`the token ${token.name}`}
                      dangerous={{ Revoke: () => confirmRevoke(token) }}
                    />
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      {dialog}
    </Section>
  );
}

function State({ token: { permissions, expires_at: expiresAt, revoked_at: revokedAt } }: { token: Token }) {
  if (revokedAt !== null) return <Status tone="bad">revoked</Status>;
  if (expiresAt !== null && expiresAt * 1000 <= Date.now()) return <Status tone="bad">expired</Status>;
  return (
    <Status tone="good">
      valid{permissions === "read" && ", read-only"}
      {expiresAt !== null && (
        <>
          , until <Time at={expiresAt} />
        </>
      )}
    </Status>
  );
}

function CreateToken({
  roles,
  onCreate,
  onCreated,
}: {
  roles: readonly Member["role"][] | null;
  onCreate: (token: NewToken) => Promise<{ name: string; secret: string }>;
  onCreated: (created: { name: string; secret: string }) => void;
}) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Member["role"]>("member");
  const [permissions, setPermissions] = useState<Token["permissions"]>("all");
  const [expires, setExpires] = useState("");
  const submit = () => onCreate({ name, role, permissions, expires_at: expires === "" ? null : secondsOf(expires) });
  return (
    <FormDialog title="Create a token" action="Create the token" onSubmit={submit} onDone={onCreated}>
      <TextField
        label="Name"
        description="What the token is for"
        required
        minLength={3}
        data-autofocus
        value={name}
        onChange={setName}
      />
      {roles !== null && <SelectField label="Role" value={role} data={[...roles]} onChange={setRole} />}
      <SelectField
        label="It may"
        value={permissions}
        data={[
          { value: "all", label: "do all of its role" },
          { value: "read", label: "only read" },
        ]}
        onChange={setPermissions}
      />
      <TextField
        label="Expires"
        description="In your time zone; leave it empty for a token without an end"
        type="datetime-local"
        value={expires}
        onChange={setExpires}
      />
    </FormDialog>
  );
}
