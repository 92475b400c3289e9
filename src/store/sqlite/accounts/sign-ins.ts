// How people sign in: links to set a password by, and passwords. @spec authentication
import type { MemberRole } from "../../../contract/manage/roles.ts";
import type { Member } from "../../../ports/accounts.ts";
import type { Actor } from "../../../ports/audit.ts";
import type { PasswordHolder } from "../../../ports/management.ts";
import { record } from "./audit.ts";
import type { Connection } from "../database/connection.ts";
import { MEMBER_COLUMNS, needMember, refuseOtherRole } from "./members.ts";
import { plain } from "../database/operation.ts";
import { deleteSessionsOf, selectHolder } from "./sessions.ts";
import { change, many, one } from "../database/statement.ts";

interface NewLink {
  readonly by: Actor;
  readonly organizationId: string;
  readonly memberId: string;
  readonly hash: string;
  readonly lifetimeMs: number;
  readonly expectedRole?: MemberRole;
}

/** ManagementStore.setSignInLink. */
export const setSignInLink = plain("write", (connection, link: NewLink, atMs): { expiresAtMs: number } => {
  const { by, organizationId, memberId, hash, lifetimeMs } = link;
  refuseOtherRole(needMember(connection, organizationId, memberId), link.expectedRole);
  const expiresAtMs = atMs + lifetimeMs;
  upsertLink(connection, { memberId, hash, expiresAtMs });
  record(connection, {
    by,
    atMs,
    organizationId,
    action: "member.sign_in_link",
    target: memberId,
    after: { expires_at: Math.floor(expiresAtMs / 1000) },
  });
  return { expiresAtMs };
});

/** ManagementStore.findSignInLink. */
export const findSignInLink = plain("point", (connection, { hash }: { hash: string }, nowMs): Member | null => {
  return selectLinked(connection, { hash, nowMs }) ?? null;
});

/** ManagementStore.redeemSignInLink. */
export const redeemSignInLink = plain(
  "write",
  (connection, { hash, passwordHash }: { hash: string; passwordHash: string }, nowMs): Member | null => {
    const member = selectLinked(connection, { hash, nowMs });
    if (member === undefined) return null;
    deleteLink(connection, { memberId: member.id });
    putPassword(connection, member, passwordHash, nowMs);
    return member;
  },
);

/** ManagementStore.findPasswordHolders. */
export const findPasswordHolders = plain("point", (connection, query: { email: string }): readonly PasswordHolder[] =>
  selectHolders(connection, query).map(({ organizationName, passwordHash, ...member }) => ({
    member,
    organizationName,
    passwordHash,
  })),
);

/** ManagementStore.changePassword. */
export const changePassword = plain(
  "write",
  (connection, renewal: { memberId: string; expectedHash: string; passwordHash: string }, nowMs): boolean => {
    const { memberId, expectedHash, passwordHash } = renewal;
    const member = selectHolder(connection, { memberId, passwordHash: expectedHash });
    if (member === undefined) return false;
    putPassword(connection, member, passwordHash, nowMs);
    return true;
  },
);

function putPassword(connection: Connection, member: Member, passwordHash: string, atMs: number): void {
  const { id, organizationId } = member;
  upsertPassword(connection, { memberId: id, hash: passwordHash, setAtMs: atMs });
  deleteSessionsOf(connection, { memberId: id });
  record(connection, { by: { kind: "member", id }, atMs, organizationId, action: "member.password", target: id });
}

const selectLinked = one<{ hash: string; nowMs: number }, Member>(`
  select ${MEMBER_COLUMNS}
    from sign_in_links l
    join members m on m.id = l.member_id
   where l.hash = :hash
     and l.expires_at_ms > :nowMs`);

const selectHolders = many<{ email: string }, Member & { organizationName: string; passwordHash: string }>(`
  select ${MEMBER_COLUMNS}, o.name as organizationName, p.hash as passwordHash
    from members m
    join member_passwords p on p.member_id = m.id
    join organizations o on o.id = m.organization_id
   where m.email = :email collate nocase
   order by m.rowid`);

const upsertLink = change<{ memberId: string; hash: string; expiresAtMs: number }>(`
  insert into sign_in_links (member_id, hash, expires_at_ms)
  values (:memberId, :hash, :expiresAtMs)
      on conflict (member_id) do update
     set hash          = excluded.hash,
         expires_at_ms = excluded.expires_at_ms`);

const deleteLink = change<{ memberId: string }>(`
  delete from sign_in_links where member_id = :memberId`);

const upsertPassword = change<{ memberId: string; hash: string; setAtMs: number }>(`
  insert into member_passwords (member_id, hash, set_at_ms)
  values (:memberId, :hash, :setAtMs)
      on conflict (member_id) do update
     set hash      = excluded.hash,
         set_at_ms = excluded.set_at_ms`);
