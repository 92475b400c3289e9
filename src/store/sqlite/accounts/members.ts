// Members of organizations, of whom one at least is an owner. @spec authentication
import type { MemberRole } from "../../../contract/manage/roles.ts";
import { AccountError, type Member } from "../../../ports/accounts.ts";
import type { Actor } from "../../../ports/audit.ts";
import { record } from "./audit.ts";
import { clearBudgetsOfMember } from "../money/budgets.ts";
import type { Connection } from "../database/connection.ts";
import { plain } from "../database/operation.ts";
import { needOrganization } from "./organizations.ts";
import { change, many, one } from "../database/statement.ts";

/** AccountStore.addMember. */
export const addMember = plain("write", (connection, add: Member & { by: Actor; createdAt: number }, atMs): Member => {
  const { by, id, organizationId, email, role, createdAt } = add;
  needOrganization(connection, organizationId);
  if (selectMemberByEmail(connection, { organizationId, email }) !== undefined) {
    throw new AccountError(`${email} is a member of this organization already.`);
  }
  insertMember(connection, { id, organizationId, email, role, createdAt });
  record(connection, { by, atMs, organizationId, action: "member.add", target: id, after: { email, role } });
  return { id, organizationId, email, role };
});

/** AccountStore.removeMember. The member's keys stay, as nobody's; the member's budgets go. */
export const removeMember = plain(
  "write",
  (connection, { by, organizationId, memberId, expectedRole }: MemberQuery, atMs): void => {
    const member = needMember(connection, organizationId, memberId);
    refuseOtherRole(member, expectedRole);
    const { email, role } = member;
    if (role === "owner") keepAnOwner(connection, member);
    clearBudgetsOfMember(connection, { organizationId, memberId, by, nowMs: atMs });
    deleteMember(connection, { id: memberId });
    record(connection, {
      by,
      atMs,
      organizationId,
      action: "member.remove",
      target: memberId,
      before: { email, role },
    });
  },
);

/** AccountStore.setMemberRole. */
export const setMemberRole = plain("write", (connection, update: MemberQuery & { role: MemberRole }, atMs): Member => {
  const { by, organizationId, memberId, role } = update;
  const member = needMember(connection, organizationId, memberId);
  refuseOtherRole(member, update.expectedRole);
  if (member.role === "owner" && role !== "owner") keepAnOwner(connection, member);
  updateRole(connection, { id: memberId, role });
  record(connection, {
    by,
    atMs,
    organizationId,
    action: "member.role",
    target: memberId,
    before: { role: member.role },
    after: { role },
  });
  return { ...member, role };
});

interface MemberQuery {
  readonly by: Actor;
  readonly organizationId: string;
  readonly memberId: string;
  readonly expectedRole?: MemberRole;
}

/** AccountStore.listMembers. */
export const listMembers = plain("point", (connection, query: { organizationId: string }): readonly Member[] =>
  selectMembers(connection, query),
);

/** A member of an organization; throws an AccountError when there is none. */
export function needMember(connection: Connection, organizationId: string, memberId: string): Member {
  const row = selectMember(connection, { organizationId, memberId });
  if (row === undefined) throw new AccountError(`The organization has no member ${memberId}.`);
  return row;
}

/** Who may touch a member depends on the member's role: a decision that was taken on another one does not hold. */
export function refuseOtherRole({ email, role }: Member, expected: MemberRole | undefined): void {
  if (expected === undefined || expected === role) return;
  throw new AccountError(`${email} has become ${role} meanwhile: look again.`);
}

function keepAnOwner(connection: Connection, { organizationId, email }: Member): void {
  if ((countOwners(connection, { organizationId })?.owners ?? 0) > 1) return;
  throw new AccountError(`${email} is the organization's last owner; make another member an owner first.`);
}

/** The columns of a member, for a select from `members m`. */
export const MEMBER_COLUMNS = "m.id, m.organization_id as organizationId, m.email, m.role";

const selectMember = one<{ organizationId: string; memberId: string }, Member>(`
  select ${MEMBER_COLUMNS}
    from members m
   where id = :memberId
     and organization_id = :organizationId`);

const selectMemberByEmail = one<{ organizationId: string; email: string }, Member>(`
  select ${MEMBER_COLUMNS}
    from members m
   where organization_id = :organizationId
     and email = :email collate nocase`);

const selectMembers = many<{ organizationId: string }, Member>(`
  select ${MEMBER_COLUMNS}
    from members m
   where organization_id = :organizationId
   order by m.created_at, m.rowid`);

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
