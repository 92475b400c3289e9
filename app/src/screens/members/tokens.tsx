// Tokens for programs: of an organization, or (for the operator) of everything.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Member, take, type Token } from "../../api/client.ts";
import { allTokensQuery, tokensQuery } from "../../api/queries.ts";
import { useChange } from "../../api/use-change.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { Confirm, Dialog, FormDialog } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { RowAction } from "../../parts/row-action.tsx";
import { Section } from "../../parts/screen.tsx";
import { SecretOnce } from "../../parts/secret-once.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { rolesToGive } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";

/** The tokens of an organization. */
export function Tokens({ id }: { id: string }) {
  const { role } = useSession();
  const tokens = useQuery(tokensQuery(id));
  return (
    <TokenSection
      title="Tokens"
      tokens={tokens}
      roles={rolesToGive(role)}
      onCreate={(name, given) => {
        const params = { path: { organization_id: id } };
        return take(api.POST("/organizations/{organization_id}/tokens", { params, body: { name, role: given } }));
      }}
      onRevoke={(token) => {
        const params = { path: { organization_id: id, token_id: token.id } };
        return take(api.POST("/organizations/{organization_id}/tokens/{token_id}/revoke", { params }));
      }}
    />
  );
}

/** All tokens of the service; the operator creates operator tokens here. */
export function AllTokens() {
  const tokens = useQuery(allTokensQuery);
  return (
    <TokenSection
      title="Tokens of the whole service"
      tokens={tokens}
      roles={null}
      onCreate={(name) => take(api.POST("/tokens", { body: { name } }))}
      onRevoke={(token) => take(api.POST("/tokens/{token_id}/revoke", { params: { path: { token_id: token.id } } }))}
    />
  );
}

type OpenDialog =
  | { readonly kind: "create" }
  | { readonly kind: "revoke"; readonly token: Token }
  | { readonly kind: "secret"; readonly name: string; readonly secret: string };

function TokenSection({
  title,
  tokens,
  roles,
  onCreate,
  onRevoke,
}: {
  title: string;
  tokens: Parameters<typeof Loaded<readonly Token[]>>[0]["query"];
  /** The roles to choose from; null: an operator's token. */
  roles: readonly Member["role"][] | null;
  onCreate: (name: string, role: Member["role"]) => Promise<{ name: string; secret: string }>;
  onRevoke: (token: Token) => Promise<unknown>;
}) {
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const close = () => setDialog(null);
  const revoke = useChange(onRevoke);
  return (
    <Section
      title={title}
      actions={
        <Button variant="default" onClick={() => setDialog({ kind: "create" })}>
          {roles === null ? "Create an operator token" : "Create a token"}
        </Button>
      }
    >
      <Loaded query={tokens}>
        {(data) =>
          data.length === 0 ? (
            <Empty title="No token">A program that manages this organization needs one. API keys cannot do that.</Empty>
          ) : (
            <DataTable
              caption={title}
              rows={data}
              rowKey={(token) => token.id}
              columns={[
                { title: "Name", cell: ({ name }) => name },
                { title: "Role", cell: ({ role }) => role },
                { title: "Created", cell: ({ created }) => <Time at={created} /> },
                {
                  title: "State",
                  cell: ({ revoked_at: at }) => (
                    <Status tone={at === null ? "good" : "bad"}>{at === null ? "valid" : "revoked"}</Status>
                  ),
                },
                {
                  title: "Actions",
                  cell: (token) =>
                    token.revoked_at === null && (
                      <RowAction
                        label="Revoke"
                        name={`Revoke the token ${token.name}`}
                        onClick={() => setDialog({ kind: "revoke", token })}
                      />
                    ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {dialog?.kind === "create" && (
        <CreateToken
          roles={roles}
          onCreate={onCreate}
          onCreated={(created) => setDialog({ kind: "secret", ...created })}
          onClose={close}
        />
      )}
      {dialog?.kind === "revoke" && (
        <Confirm
          title={`Revoke the token ${dialog.token.name}?`}
          consequence={`Programs that use ${dialog.token.name} can manage nothing from then on, for good.`}
          action="Revoke the token"
          onConfirm={() => revoke.mutateAsync(dialog.token)}
          onClose={close}
        />
      )}
      {dialog?.kind === "secret" && (
        <Dialog title={`The secret of ${dialog.name}`} onClose={close}>
          <SecretOnce secret={dialog.secret} what="the token" />
        </Dialog>
      )}
    </Section>
  );
}

function CreateToken({
  roles,
  onCreate,
  onCreated,
  onClose,
}: {
  roles: readonly Member["role"][] | null;
  onCreate: (name: string, role: Member["role"]) => Promise<{ name: string; secret: string }>;
  onCreated: (created: { name: string; secret: string }) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Member["role"]>("member");
  const change = useChange(() => onCreate(name, role), onCreated);
  return (
    <FormDialog
      title="Create a token"
      action="Create the token"
      onSubmit={() => change.mutateAsync()}
      onClose={onClose}
    >
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
    </FormDialog>
  );
}
