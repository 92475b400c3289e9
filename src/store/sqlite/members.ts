// Members of organizations, of whom one at least is an owner. @spec authentication
import { AccountError, type Member, type MemberRole } from "../../ports/accounts.ts";
import type { Connection } from "./connection.ts";
import { plain } from "./operation.ts";
import { needOrganization } from "./organizations.ts";
import { change, many, one } from "./statement.ts";

/** AccountStore.addMember. */
export const addMember = plain("write", (connection, add: Member & { createdAt: number }): Member => {
  const { id, organizationId, email, role, createdAt } = add;
  needOrganization(connection, organizationId);
  if (selectMemberByEmail(connection, { organizationId, email }) !== undefined) {
    throw new AccountError(`${email} is a member of this organization already.`);
  }
  insertMember(connection, { id, organizationId, email, role, createdAt });
  return { id, organizationId, email, role };
});

/** AccountStore.removeMember. The member's keys stay, as nobody's. */
export const removeMember = plain(
  "write",
  (connection, { organizationId, memberId }: { organizationId: string; memberId: string }): void => {
    const member = needMember(connection, organizationId, memberId);
    if (member.role === "owner") keepAnOwner(connection, member);
    deleteMember(connection, { id: memberId });
  },
);

/** AccountStore.setMemberRole. */
export const setMemberRole = plain(
  "write",
  (connection, update: { organizationId: string; memberId: string; role: MemberRole }): Member => {
    const { organizationId, memberId, role } = update;
    const member = needMember(connection, organizationId, memberId);
    if (member.role === "owner" && role !== "owner") keepAnOwner(connection, member);
    updateRole(connection, { id: memberId, role });
    return { ...member, role };
  },
);

/** AccountStore.listMembers. */
export const listMembers = plain("read", (connection, query: { organizationId: string }): readonly Member[] =>
  selectMembers(connection, query),
);

/** A member of an organization; throws an AccountError when there is none. */
export function needMember(connection: Connection, organizationId: string, memberId: string): Member {
  const row = selectMember(connection, { organizationId, memberId });
  if (row === undefined) throw new AccountError(`The organization has no member ${memberId}.`);
  return row;
}

function keepAnOwner(connection: Connection, { organizationId, email }: Member): void {
  if ((countOwners(connection, { organizationId })?.owners ?? 0) > 1) return;
  throw new AccountError(`${email} is the organization's last owner; make another member an owner first.`);
}

const MEMBER_COLUMNS = "id, organization_id as organizationId, email, role";

const selectMember = one<{ organizationId: string; memberId: string }, Member>(`
  select ${MEMBER_COLUMNS}
    from members
   where id = :memberId
     and organization_id = :organizationId`);

const selectMemberByEmail = one<{ organizationId: string; email: string }, Member>(`
  select ${MEMBER_COLUMNS}
    from members
   where organization_id = :organizationId
     and email = :email`);

const selectMembers = many<{ organizationId: string }, Member>(`
  select ${MEMBER_COLUMNS}
    from members
   where organization_id = :organizationId
   order by created_at, rowid`);

const countOwners = one<{ organizationId: string }, { owners: number }>(`
  select count(*) as owners
    from members
   where organization_id = :organizationId
     and role = 'owner'`);

const insertMember = change<Member & { createdAt: number }>(`
  insert into members (id, organization_id, email, role, created_at)
  values (:id, :organizationId, :email, :role, :createdAt)`);

const updateRole = change<{ id: string; role: string }>(`
  update members set role = :role where id = :id`);

const deleteMember = change<{ id: string }>(`
  delete from members where id = :id`);
