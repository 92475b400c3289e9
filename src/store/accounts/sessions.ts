// Sessions of people: started, found, ended, and deleted once they have expired. @spec authentication
import type { Steps } from "../engine/transaction.ts";
import type { Member } from "../../ports/store/accounts.ts";
import type { FoundSession, SessionLifetime } from "../../ports/store/management.ts";
import { record } from "./audit.ts";
import { lockMember, MEMBER_COLUMNS } from "./members.ts";
import { plainOperation } from "../engine/operation.ts";
import { change, one, write } from "../engine/statement.ts";

/** Expired sessions that each new one deletes: more than one, so that they never accumulate. */
const EXPIRED_BATCH = 100;

interface NewSession {
  readonly id: string;
  readonly memberId: string;
  readonly hash: string;
  readonly expectedHash: string;
  readonly lifetime: SessionLifetime;
}

/** ManagementStore.startSession. */
export const startSession = plainOperation("write", function* (tx, start: NewSession, atMs): Steps<boolean> {
  const { id, memberId, hash, expectedHash, lifetime } = start;
  yield* lockMember(tx, { memberId });
  const member = yield* selectPasswordHolder(tx, { memberId, passwordHash: expectedHash });
  if (member === undefined) return false;
  yield* deleteStartedBefore(tx, { beforeMs: atMs - lifetime.absoluteMs, limit: EXPIRED_BATCH });
  yield* insertSession(tx, { id, memberId, hash, atMs });
  yield* record(tx, {
    by: { kind: "member", id: memberId },
    atMs,
    organizationId: member.organizationId,
    action: "session.start",
    target: id,
  });
  return true;
});

/** ManagementStore.findSession. */
export const findSession = plainOperation(
  "point",
  function* (tx, query: { hash: string; lifetime: SessionLifetime }, nowMs): Steps<FoundSession | null> {
    const { hash, lifetime } = query;
    const row = yield* selectSession(tx, {
      hash,
      usedAfterMs: nowMs - lifetime.idleMs,
      startedAfterMs: nowMs - lifetime.absoluteMs,
    });
    if (row === undefined) return null;
    const { sessionId, startedAtMs, usedAtMs, ...member } = row;
    return { id: sessionId, member, usedAtMs, expiresAtMs: startedAtMs + lifetime.absoluteMs };
  },
);

/** ManagementStore.touchSession. */
export const touchSession = plainOperation("write", function* (tx, { id }: { id: string }, atMs): Steps<void> {
  yield* updateUsed(tx, { id, atMs });
});

/** ManagementStore.endSession. */
export const endSession = plainOperation("write", function* (tx, { id }: { id: string }, atMs): Steps<void> {
  const member = yield* selectMemberOf(tx, { id });
  if (member === undefined) return;
  if ((yield* deleteSession(tx, { id })).changes === 0) return;
  yield* record(tx, {
    by: { kind: "member", id: member.id },
    atMs,
    organizationId: member.organizationId,
    action: "session.end",
    target: id,
  });
});

/** Deletes all sessions of a member. */
export const deleteSessionsOf = write<{ memberId: string }>(`
  delete from sessions where member_id = :memberId`);

/** The member, if the password still has that hash. */
export const selectPasswordHolder = one<{ memberId: string; passwordHash: string }, Member>(`
  select ${MEMBER_COLUMNS}
    from member_passwords p
    join members m on m.id = p.member_id
   where p.member_id = :memberId
     and p.hash = :passwordHash`);

const selectSession = one<
  { hash: string; usedAfterMs: number; startedAfterMs: number },
  Member & { sessionId: string; startedAtMs: number; usedAtMs: number }
>(`
  select ${MEMBER_COLUMNS},
         s.id            as sessionId,
         s.started_at_ms as startedAtMs,
         s.used_at_ms    as usedAtMs
    from sessions s
    join members m on m.id = s.member_id
   where s.hash = :hash
     and s.used_at_ms > :usedAfterMs
     and s.started_at_ms > :startedAfterMs`);

const selectMemberOf = one<{ id: string }, { id: string; organizationId: string }>(`
  select m.id, m.organization_id as organizationId
    from sessions s
    join members m on m.id = s.member_id
   where s.id = :id`);

const insertSession = write<{ id: string; memberId: string; hash: string; atMs: number }>(`
  insert into sessions (id, member_id, hash, started_at_ms, used_at_ms)
  values (:id, :memberId, :hash, :atMs, :atMs)`);

const updateUsed = write<{ id: string; atMs: number }>(`
  update sessions set used_at_ms = :atMs where id = :id`);

const deleteSession = change<{ id: string }>(`
  delete from sessions where id = :id`);

const deleteStartedBefore = write<{ beforeMs: number; limit: number }>(`
  delete from sessions
   where rowid in (select rowid
                     from sessions
                    where started_at_ms <= :beforeMs
                    order by started_at_ms
                    limit +:limit)`);
