// Members with their roles and sign-in links, and the organization's tokens.
import { Button, Checkbox, Code, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, inOrganization, type Member, take } from "../../api/client.ts";
import { membersQuery } from "../../api/queries.ts";
import { ACTIONS, type Column } from "../../parts/data-table.tsx";
import { FormDialog, useDialog } from "../../parts/dialog.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { Id } from "../../parts/id.tsx";
import { LinkOnce } from "../../parts/link-once.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import { Screen, Section } from "../../parts/screen.tsx";
import { mayManage, rolesToGive } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";
import { useOrganizationId } from "../use-organization-id.ts";
import { MemberSessions } from "./member-sessions.tsx";
import { Tokens } from "./tokens.tsx";

export function Members() {
  const organizationId = useOrganizationId();
  const { role } = useSession();
  const manages = mayManage(role);
  const members = useQuery(membersQuery(organizationId));
  const { open, dialog } = useDialog();
  const createLink = (member: Member) =>
    open(<CreateLink organizationId={organizationId} member={member} onCreated={showLink} />);
  const showLink = (link: Link) =>
    open(
      <LinkOnce link={link} person={link.member.email}>
        Anyone with it can sign in as this member.
      </LinkOnce>,
    );
  const actionsOf = (member: Member) =>
    // An admin manages no owner.
    rolesToGive(role).includes(member.role) && (
      <RowActions
        subject={member.email}
        nameOf={(label) => `${label}: ${member.email}`}
        actions={{
          "Sign-in link": () => createLink(member),
          Sessions: () => open(<MemberSessions organizationId={organizationId} member={member} />),
          Role: () => open(<ChangeRole organizationId={organizationId} member={member} />),
        }}
        dangerous={{ Remove: () => open(<RemoveMember organizationId={organizationId} member={member} />) }}
      />
    );
  const columns: Column<Member>[] = [
    { title: "E-mail address", isWide: true, value: ({ email }) => email, cell: ({ email }) => email },
    { title: "Role", value: (member) => member.role, cell: (member) => member.role },
    { title: "Member id", isMinor: true, cell: (member) => <Id id={member.id} /> },
  ];
  if (manages) columns.push({ title: ACTIONS, cell: actionsOf });
  const list = (
    <Loaded query={members}>
      {(data) => (
        <ListTable
          caption="Members"
          find="Find a member"
          rows={data}
          rowKey={(member) => member.id}
          columns={columns}
        />
      )}
    </Loaded>
  );
  return (
    <Screen
      title={manages ? "Members and tokens" : "Members"}
      actions={
        manages && (
          <Button onClick={() => open(<AddMember organizationId={organizationId} onAdded={createLink} />)}>
            Add a member
          </Button>
        )
      }
    >
      {manages ? <Section title="Members">{list}</Section> : list}
      {manages && <Tokens organizationId={organizationId} />}
      {dialog}
    </Screen>
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

function AddMember({ organizationId, onAdded }: { organizationId: string; onAdded: (member: Member) => void }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Member["role"]>("member");
  const add = () =>
    take(
      api.POST("/organizations/{organization_id}/members", {
        ...inOrganization(organizationId),
        body: { email, role },
      }),
    );
  return (
    <FormDialog title="Add a member" action="Add the member" onSubmit={add} onDone={onAdded}>
      <TextField label="E-mail address" type="email" required data-autofocus value={email} onChange={setEmail} />
      <RoleSelect value={role} onChange={setRole} />
    </FormDialog>
  );
}

interface OfMember {
  readonly organizationId: string;
  readonly member: Member;
}

function ChangeRole({ organizationId, member }: OfMember) {
  const [role, setRole] = useState(member.role);
  const change = () => {
    const init = { ...inOrganization(organizationId, { member_id: member.id }), body: { role } };
    return take(api.POST("/organizations/{organization_id}/members/{member_id}", init));
  };
  return (
    <FormDialog
      title={`Role of ${member.email}`}
      action="Change the role"
      said={`The role of ${member.email} is ${role} now.`}
      onSubmit={change}
    >
      <RoleSelect value={role} onChange={setRole} />
    </FormDialog>
  );
}

function RemoveMember({ organizationId, member }: OfMember) {
  const [keys, setKeys] = useState(false);
  const [tokens, setTokens] = useState(false);
  const remove = () => {
    const init = { ...inOrganization(organizationId, { member_id: member.id }), body: { keys, tokens } };
    return take(api.DELETE("/organizations/{organization_id}/members/{member_id}", init));
  };
  return (
    <FormDialog
      title={`Remove ${member.email}?`}
      action="Remove the member"
      isDangerous
      said={`${member.email} is removed.`}
      onSubmit={remove}
    >
      <Text size="sm">The sessions of {member.email} end at once. What is not revoked here keeps working.</Text>
      <Checkbox
        label="Revoke the API keys of this person"
        checked={keys}
        onChange={({ currentTarget }) => setKeys(currentTarget.checked)}
      />
      <Checkbox
        label="Revoke the tokens that this person made"
        checked={tokens}
        onChange={({ currentTarget }) => setTokens(currentTarget.checked)}
      />
    </FormDialog>
  );
}

type Link = Awaited<ReturnType<typeof createLinkOf>>;

function createLinkOf(organizationId: string, member: Member) {
  const init = inOrganization(organizationId, { member_id: member.id });
  return take(api.POST("/organizations/{organization_id}/members/{member_id}/sign-in-link", init));
}

function CreateLink({ organizationId, member, onCreated }: OfMember & { readonly onCreated: (link: Link) => void }) {
  return (
    <FormDialog
      title={`Sign-in link for ${member.email}`}
      action="Create the link"
      onSubmit={() => createLinkOf(organizationId, member)}
      onDone={onCreated}
    >
      <Text size="sm">
        The link signs <Code>{member.email}</Code> in once and lets them set a password. An earlier link stops working.
      </Text>
    </FormDialog>
  );
}
