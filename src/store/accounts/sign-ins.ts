// Sign-in links of members and operators, and the passwords of members. @spec authentication
import type { Member } from "../../ports/store/accounts.ts";
import type { FoundSession, ManagementStore, PasswordHolder, Person } from "../../ports/store/management.ts";
import { record } from "./audit.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { MEMBER_COLUMNS, getMember, assertRole, lockMember } from "./members.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { beginSession, deleteSessionsOf, selectPasswordHolder } from "./sessions.ts";
import { change, many, one, write } from "../engine/statement.ts";

type NewLink = Parameters<ManagementStore["setSignInLink"]>[0];
type NewOperatorLink = Parameters<ManagementStore["setOperatorLink"]>[0];
type Redemption = Parameters<ManagementStore["redeemSignInLink"]>[0];
type PasswordChange = Parameters<ManagementStore["changePassword"]>[0];

/** ManagementStore.setSignInLink. */
export const setSignInLink = plainProcedure("write", function* (tx, link: NewLink, atMs): Steps<{
  expiresAtMs: number;
}> {
  const { by, organizationId, memberId, hash, lifetimeMs } = link;
  yield* lockMember(tx, { memberId });
  assertRole(yield* getMember(tx, organizationId, memberId), link.expectedRole);
  const expiresAtMs = atMs + lifetimeMs;
  yield* upsertLink(tx, { memberId, hash, expiresAtMs });
  yield* record(tx, {
    by,
    atMs,
    organizationId,
    action: "member.sign_in_link",
    target: memberId,
    after: { expires_at: Math.floor(expiresAtMs / 1000) },
  });
  return { expiresAtMs };
});

/** ManagementStore.setOperatorLink. */
export const setOperatorLink = plainProcedure("write", function* (tx, link: NewOperatorLink, atMs): Steps<{
  expiresAtMs: number;
}> {
  const { by, name, hash, lifetimeMs } = link;
  const expiresAtMs = atMs + lifetimeMs;
  yield* deleteExpiredOperatorLinks(tx, { nowMs: atMs });
  yield* upsertOperatorLink(tx, { name, hash, expiresAtMs });
  yield* record(tx, {
    by,
    atMs,
    organizationId: null,
    action: "operator.sign_in_link",
    target: name,
    after: { expires_at: Math.floor(expiresAtMs / 1000) },
  });
  return { expiresAtMs };
});

/** ManagementStore.findSignInLink. */
export const findSignInLink = plainProcedure("point", (tx, { hash }: { hash: string }, nowMs) =>
  findLinked(tx, { hash, nowMs }),
);

function* findLinked(tx: Transaction, link: { hash: string; nowMs: number }): Steps<Person | null> {
  const member = yield* selectLinked(tx, link);
  if (member !== undefined) return { kind: "member", member };
  const operator = yield* selectLinkedOperator(tx, link);
  return operator === undefined ? null : { kind: "operator", name: operator.name };
}

/** ManagementStore.redeemSignInLink. */
export const redeemSignInLink = plainProcedure(
  "write",
  function* (tx, { hash, passwordHash, session }: Redemption, nowMs): Steps<FoundSession | null> {
    const person = yield* findLinked(tx, { hash, nowMs });
    if (person === null) return null;
    if (person.kind === "operator") {
      if ((yield* deleteOperatorLink(tx, { hash })).changes === 0) return null;
    } else {
      const { member } = person;
      yield* lockMember(tx, { memberId: member.id });
      if ((yield* deleteLink(tx, { memberId: member.id, hash })).changes === 0) return null;
      if (passwordHash === null) yield* deleteSessionsOf(tx, { memberId: member.id });
      else yield* setPassword(tx, member, passwordHash, nowMs);
    }
    return yield* beginSession(tx, person, session, nowMs);
  },
);

/** ManagementStore.findPasswordHolders. */
export const findPasswordHolders = plainProcedure("point", function* (tx, query: { email: string }): Steps<
  readonly PasswordHolder[]
> {
  return (yield* selectHolders(tx, query)).map(({ organizationName, passwordHash, ...member }) => ({
    member,
    organizationName,
    passwordHash,
  }));
});

/** ManagementStore.changePassword. */
export const changePassword = plainProcedure("write", function* (tx, update: PasswordChange, nowMs): Steps<boolean> {
  const { memberId, expectedHash, passwordHash } = update;
  yield* lockMember(tx, { memberId });
  const member = yield* selectPasswordHolder(tx, { memberId, passwordHash: expectedHash });
  if (member === undefined) return false;
  yield* setPassword(tx, member, passwordHash, nowMs);
  return true;
});

function* setPassword(tx: Transaction, member: Member, passwordHash: string, atMs: number): Steps<void> {
  const { id, organizationId } = member;
  yield* upsertPassword(tx, { memberId: id, hash: passwordHash, setAtMs: atMs });
  yield* deleteSessionsOf(tx, { memberId: id });
  yield* record(tx, { by: { kind: "member", id }, atMs, organizationId, action: "member.password", target: id });
}

const selectLinked = one<{ hash: string; nowMs: number }, Member>(`
  select ${MEMBER_COLUMNS}
    from sign_in_links l
    join members m on m.id = l.member_id
   where l.hash = :hash
     and l.expires_at_ms > :nowMs`);

const selectLinkedOperator = one<{ hash: string; nowMs: number }, { name: string }>(`
  select name
    from operator_links
   where hash = :hash
     and expires_at_ms > :nowMs`);

const selectHolders = many<{ email: string }, Member & { organizationName: string; passwordHash: string }>(`
  select ${MEMBER_COLUMNS}, o.name as organizationName, p.hash as passwordHash
    from members m
    join member_passwords p on p.member_id = m.id
    join organizations o on o.id = m.organization_id
   where m.email = :email collate nocase
   order by m.rowid`);

const upsertLink = write<{ memberId: string; hash: string; expiresAtMs: number }>(`
  insert into sign_in_links (member_id, hash, expires_at_ms)
  values (:memberId, :hash, :expiresAtMs)
      on conflict (member_id) do update
     set hash          = excluded.hash,
         expires_at_ms = excluded.expires_at_ms`);

const deleteLink = change<{ memberId: string; hash: string }>(`
  delete from sign_in_links
   where member_id = :memberId
     and hash = :hash`);

const upsertOperatorLink = write<{ name: string; hash: string; expiresAtMs: number }>(`
  insert into operator_links (name, hash, expires_at_ms)
  values (:name, :hash, :expiresAtMs)
      on conflict (name) do update
     set hash          = excluded.hash,
         expires_at_ms = excluded.expires_at_ms`);

const deleteOperatorLink = change<{ hash: string }>(`
  delete from operator_links
   where hash = :hash`);

const deleteExpiredOperatorLinks = write<{ nowMs: number }>(`
  delete from operator_links
   where expires_at_ms <= :nowMs`);

const upsertPassword = write<{ memberId: string; hash: string; setAtMs: number }>(`
  insert into member_passwords (member_id, hash, set_at_ms)
  values (:memberId, :hash, :setAtMs)
      on conflict (member_id) do update
     set hash      = excluded.hash,
         set_at_ms = excluded.set_at_ms`);
