// Members with their roles and sign-in links, and the organization's tokens.
import { Button, Code, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Member, take } from "../../api/client.ts";
import { membersQuery } from "../../api/queries.ts";
import { useChange } from "../../api/use-change.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Confirm, FormDialog } from "../../parts/dialog.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { LinkOnce } from "../../parts/link-once.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { RowAction } from "../../parts/row-action.tsx";
import { Screen } from "../../parts/screen.tsx";
import { mayManage, rolesToGive } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";
import { useOrganizationId } from "../use-organization-id.ts";
import { MemberSessions } from "./member-sessions.tsx";
import { Tokens } from "./tokens.tsx";

interface Link {
  readonly member: Member;
  readonly url: string;
  readonly expires_at: number;
}
type OpenDialog =
  | { readonly kind: "add" }
  | { readonly kind: "role" | "remove" | "link" | "sessions"; readonly member: Member }
  | { readonly kind: "created-link"; readonly link: Link };

export function Members() {
  const id = useOrganizationId();
  const { role } = useSession();
  const manages = mayManage(role);
  const members = useQuery(membersQuery(id));
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const close = () => setDialog(null);
  const columns: Column<Member>[] = [
    { title: "E-mail address", cell: ({ email }) => email },
    { title: "Role", cell: (member) => member.role },
  ];
  if (manages) {
    columns.push({ title: "Actions", cell: (member) => <Actions member={member} onOpen={setDialog} /> });
  }
  return (
    <Screen
      title={manages ? "Members and tokens" : "Members"}
      actions={manages && <Button onClick={() => setDialog({ kind: "add" })}>Add a member</Button>}
    >
      <Loaded query={members}>
        {(data) => <DataTable caption="Members" rows={data} rowKey={(member) => member.id} columns={columns} />}
      </Loaded>
      {manages && <Tokens id={id} />}
      {dialog?.kind === "add" && (
        <AddMember id={id} onAdded={(member) => setDialog({ kind: "link", member })} onClose={close} />
      )}
      {dialog?.kind === "role" && <ChangeRole id={id} member={dialog.member} onClose={close} />}
      {dialog?.kind === "sessions" && <MemberSessions id={id} member={dialog.member} onClose={close} />}
      {dialog?.kind === "remove" && <RemoveMember id={id} member={dialog.member} onClose={close} />}
      {dialog?.kind === "link" && (
        <CreateLink
          id={id}
          member={dialog.member}
          onCreated={(link) => setDialog({ kind: "created-link", link })}
          onClose={close}
        />
      )}
      {dialog?.kind === "created-link" && (
        <LinkOnce link={dialog.link} of={dialog.link.member.email} onClose={close}>
          Whoever has it signs in as this member.
        </LinkOnce>
      )}
    </Screen>
  );
}

function Actions({ member, onOpen }: { member: Member; onOpen: (dialog: OpenDialog) => void }) {
  const { role } = useSession();
  // An admin manages no owner.
  if (!rolesToGive(role).includes(member.role)) return null;
  const action = (kind: "role" | "remove" | "link" | "sessions", label: string) => (
    <RowAction label={label} name={`${label}: ${member.email}`} onClick={() => onOpen({ kind, member })} />
  );
  return (
    <div className="row-actions">
      {action("link", "Sign-in link")}
      {action("sessions", "Sessions")}
      {action("role", "Role")}
      {action("remove", "Remove")}
    </div>
  );
}

function RoleSelect({ value, onChange }: { value: Member["role"]; onChange: (role: Member["role"]) => void }) {
  const { role } = useSession();
  return (
    <SelectField
      label="Role"
      description="Members see their own keys and usage; admins manage keys, budgets, policy and members; owners also the plan and owners."
      value={value}
      data={[...rolesToGive(role)]}
      onChange={onChange}
    />
  );
}

function AddMember({ id, onAdded, onClose }: { id: string; onAdded: (member: Member) => void; onClose: () => void }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Member["role"]>("member");
  const change = useChange(() => {
    const params = { path: { organization_id: id } };
    return take(api.POST("/organizations/{organization_id}/members", { params, body: { email, role } }));
  }, onAdded);
  return (
    <FormDialog title="Add a member" action="Add the member" onSubmit={() => change.mutateAsync()} onClose={onClose}>
      <TextField label="E-mail address" type="email" required data-autofocus value={email} onChange={setEmail} />
      <RoleSelect value={role} onChange={setRole} />
    </FormDialog>
  );
}

function ChangeRole({ id, member, onClose }: { id: string; member: Member; onClose: () => void }) {
  const [role, setRole] = useState(member.role);
  const change = useChange(() => {
    const params = { path: { organization_id: id, member_id: member.id } };
    return take(api.POST("/organizations/{organization_id}/members/{member_id}", { params, body: { role } }));
  }, onClose);
  return (
    <FormDialog
      title={`Role of ${member.email}`}
      action="Change the role"
      onSubmit={() => change.mutateAsync()}
      onClose={onClose}
    >
      <RoleSelect value={role} onChange={setRole} />
    </FormDialog>
  );
}

function RemoveMember({ id, member, onClose }: { id: string; member: Member; onClose: () => void }) {
  const change = useChange(() =>
    take(
      api.DELETE("/organizations/{organization_id}/members/{member_id}", {
        params: { path: { organization_id: id, member_id: member.id } },
      }),
    ),
  );
  return (
    <Confirm
      title={`Remove ${member.email}?`}
      consequence={`The sessions of ${member.email} end at once. Tokens that this person created keep working: check the list below.`}
      action="Remove the member"
      onConfirm={() => change.mutateAsync()}
      onClose={onClose}
    />
  );
}

function CreateLink({
  id,
  member,
  onCreated,
  onClose,
}: {
  id: string;
  member: Member;
  onCreated: (link: Link) => void;
  onClose: () => void;
}) {
  const change = useChange(() => {
    const params = { path: { organization_id: id, member_id: member.id } };
    return take(api.POST("/organizations/{organization_id}/members/{member_id}/sign-in-link", { params }));
  }, onCreated);
  return (
    <FormDialog
      title={`Sign-in link for ${member.email}`}
      action="Create the link"
      onSubmit={() => change.mutateAsync()}
      onClose={onClose}
    >
      <Text size="sm">
        The link signs <Code>{member.email}</Code> in once and lets them set a password. An earlier link stops working.
      </Text>
    </FormDialog>
  );
}
