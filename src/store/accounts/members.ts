// Members of organizations. Each organization keeps at least one owner. @spec authentication
import { MEMBERS_MAX } from "../../contract/manage/limits.ts";
import type { MemberRole } from "../../contract/manage/roles.ts";
import { AccountError, type AccountPage, type AccountStore, type Member } from "../../ports/store/accounts.ts";
import type { Actor } from "../../ports/store/audit.ts";
import { revokeTokensOf } from "./admin-tokens.ts";
import { record } from "./audit.ts";
import { lockKeysOf, revoke } from "./key-revocation.ts";
import { clearBudgetsOfMember } from "../money/budgets.ts";
import { lockBalance } from "../money/ledger.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { getOrganization, lockOrganization } from "./organizations.ts";
import { lock, many, one, write } from "../engine/statement.ts";

/** AccountStore.addMember. */
export const addMember = plainProcedure(
  "write",
  function* (tx, add: Member & { by: Actor; createdAt: number }, atMs): Steps<Member> {
    const { by, id, organizationId, email, role, createdAt } = add;
    yield* lockOrganization(tx, { organizationId });
    yield* getOrganization(tx, organizationId);
    if ((yield* selectMemberByEmail(tx, { organizationId, email })) !== undefined) {
      throw new AccountError(`${email} is already a member of this organization.`);
    }
    yield* insertNewMember(tx, { by, id, organizationId, email, role, createdAt, atMs });
    return { id, organizationId, email, role };
  },
);

/**
 * Inserts a member whose e-mail address no other member of the organization has. Throws an AccountError when it has the
 * most that it may have. The caller has locked the organization.
 */
export function* insertNewMember(
  tx: Transaction,
  { by, atMs, ...member }: Member & { by: Actor; createdAt: number; atMs: number },
): Steps<void> {
  const { id, organizationId, email, role } = member;
  if (((yield* countMembers(tx, { organizationId }))?.members ?? 0) >= MEMBERS_MAX) {
    throw new AccountError(`An organization has at most ${MEMBERS_MAX} members: remove those who have left.`);
  }
  yield* insertMember(tx, member);
  yield* record(tx, { by, atMs, organizationId, action: "member.add", target: id, after: { email, role } });
}

/** AccountStore.removeMember. The member's keys stay, without an owner, unless `endsKeys`; the member's budgets are deleted. */
export const removeMember = plainProcedure("write", function* (tx, query: MemberQuery, atMs): Steps<void> {
  const { by, organizationId, memberId, expectedRole, endsKeys = false, endsTokens = false } = query;
  yield* lockBalance(tx, { organizationId });
  yield* lockOrganization(tx, { organizationId });
  const member = yield* getMember(tx, organizationId, memberId);
  assertRole(member, expectedRole);
  const { email, role } = member;
  if (role === "owner") yield* assertNotLastOwner(tx, member);
  const keyIds = endsKeys ? yield* lockKeysOf(tx, { memberId }) : [];
  // The row first, because the budgets write to the audit log: its lock comes after those of the member and the keys.
  yield* deleteMember(tx, { id: memberId });
  yield* clearBudgetsOfMember(tx, { organizationId, memberId, by, nowMs: atMs });
  yield* record(tx, {
    by,
    atMs,
    organizationId,
    action: "member.remove",
    target: memberId,
    before: { email, role },
  });
  const revokedAt = Math.floor(atMs / 1000);
  for (const keyId of keyIds) yield* revoke(tx, { by, organizationId, keyId, revokedAt, atMs });
  if (endsTokens) yield* revokeTokensOf(tx, { by, creator: { kind: "member", id: memberId }, atMs });
});

/** AccountStore.setMemberRole. */
export const setMemberRole = plainProcedure(
  "write",
  function* (tx, update: MemberQuery & { role: MemberRole }, atMs): Steps<Member> {
    const { by, organizationId, memberId, role } = update;
    yield* lockOrganization(tx, { organizationId });
    const member = yield* getMember(tx, organizationId, memberId);
    assertRole(member, update.expectedRole);
    if (member.role === "owner" && role !== "owner") yield* assertNotLastOwner(tx, member);
    return yield* changeRole(tx, member, { by, role, atMs });
  },
);

/** Changes a role that may be changed. */
export function* changeRole(
  tx: Transaction,
  member: Member,
  { by, role, atMs }: { by: Actor; role: MemberRole; atMs: number },
): Steps<Member> {
  const { id, organizationId } = member;
  yield* updateRole(tx, { id, role });
  // A link may have been made by somebody who may make none for the new role.
  yield* deleteLinksOf(tx, { memberId: id });
  yield* record(tx, {
    by,
    atMs,
    organizationId,
    action: "member.role",
    target: id,
    before: { role: member.role },
    after: { role },
  });
  return { ...member, role };
}

type MemberQuery = Parameters<AccountStore["removeMember"]>[0];

/** AccountStore.pageMembers. */
export const pageMembers = plainProcedure("read", function* (tx, query: AccountPage): Steps<readonly Member[] | null> {
  const { organizationId, after } = query;
  if (after !== null && (yield* selectMember(tx, { organizationId, memberId: after })) === undefined) return null;
  return yield* selectMemberPage(tx, query);
});

/** AccountStore.listMembers. */
export const listMembers = plainProcedure("point", (tx, query: { organizationId: string }) => selectMembers(tx, query));

/** A member of an organization; throws an AccountError when there is none. */
export function* getMember(tx: Transaction, organizationId: string, memberId: string): Steps<Member> {
  const row = yield* selectMember(tx, { organizationId, memberId });
  if (row === undefined) throw new AccountError(`The organization has no member ${memberId}.`);
  return row;
}

/**
 * Whether a change is allowed depends on the member's role. Throws an AccountError when the role is not the one that
 * the decision was based on.
 */
export function assertRole({ email, role }: Member, expected: MemberRole | undefined): void {
  if (expected === undefined || expected === role) return;
  throw new AccountError(`The role of ${email} has changed to ${role} in the meantime. Check it and try again.`);
}

function* assertNotLastOwner(tx: Transaction, member: Member): Steps<void> {
  if (!(yield* isLastOwner(tx, member))) return;
  throw new AccountError(`${member.email} is the organization's last owner; make another member an owner first.`);
}

/** Whether an owner is the only one of the organization. */
export function* isLastOwner(tx: Transaction, { organizationId }: Member): Steps<boolean> {
  return ((yield* countOwners(tx, { organizationId }))?.owners ?? 0) <= 1;
}

/** The columns of a member, for a select from `members m`. */
export const MEMBER_COLUMNS = "m.id, m.organization_id as organizationId, m.email, m.role";

/** Lets no other transaction change a member, the password or the sessions. */
export const lockMember = lock<{ memberId: string }>(`
  select id from members where id = :memberId`);

const selectMember = one<{ organizationId: string; memberId: string }, Member>(`
  select ${MEMBER_COLUMNS}
    from members m
   where id = :memberId
     and organization_id = :organizationId`);

/** The member of an organization with that e-mail address, in any letter case. */
export const selectMemberByEmail = one<{ organizationId: string; email: string }, Member>(`
  select ${MEMBER_COLUMNS}
    from members m
   where organization_id = :organizationId
     and m.email = :email collate nocase`);

const selectMembers = many<{ organizationId: string }, Member>(`
  select ${MEMBER_COLUMNS}
    from members m
   where organization_id = :organizationId
   order by m.created_at, m.rowid`);

const selectMemberPage = many<AccountPage, Member>(`
  select ${MEMBER_COLUMNS}
    from members m
   where organization_id = :organizationId
     and (cast(:after as text) is null
          or (m.created_at, m.rowid) > (select created_at, rowid from members where id = :after))
   order by m.created_at, m.rowid
   limit +:limit`);

const countMembers = one<{ organizationId: string }, { members: number }>(`
  select count(*) as members
    from members
   where organization_id = :organizationId`);

const deleteLinksOf = write<{ memberId: string }>(`
  delete from sign_in_links where member_id = :memberId`);

const countOwners = one<{ organizationId: string }, { owners: number }>(`
  select count(*) as owners
    from members
   where organization_id = :organizationId
     and role = 'owner'`);

const insertMember = write<Member & { createdAt: number }>(`
  insert into members (id, organization_id, email, role, created_at)
  values (:id, :organizationId, :email, :role, :createdAt)`);

const updateRole = write<{ id: string; role: string }>(`
  update members set role = :role where id = :id`);

const deleteMember = write<{ id: string }>(`
  delete from members where id = :id`);
