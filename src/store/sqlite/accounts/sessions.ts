// Sessions of people: started, found, ended, and forgotten once they have expired. @spec authentication
import type { Member } from "../../../ports/accounts.ts";
import type { FoundSession, SessionLifetime } from "../../../ports/management.ts";
import { record } from "./audit.ts";
import { MEMBER_COLUMNS } from "./members.ts";
import { plain } from "../database/operation.ts";
import { change, one } from "../database/statement.ts";

/** Expired sessions that a new one sweeps away: more than come, so that they never gather. */
const SWEPT_AT_ONCE = 100;

interface NewSession {
  readonly id: string;
  readonly memberId: string;
  readonly hash: string;
  readonly expectedHash: string;
  readonly lifetime: SessionLifetime;
}

/** ManagementStore.startSession. */
export const startSession = plain("write", (connection, start: NewSession, atMs): boolean => {
  const { id, memberId, hash, expectedHash, lifetime } = start;
  const member = selectHolder(connection, { memberId, passwordHash: expectedHash });
  if (member === undefined) return false;
  deleteStartedBefore(connection, { beforeMs: atMs - lifetime.absoluteMs, limit: SWEPT_AT_ONCE });
  insertSession(connection, { id, memberId, hash, atMs });
  record(connection, {
    by: { kind: "member", id: memberId },
    atMs,
    organizationId: member.organizationId,
    action: "session.start",
    target: id,
  });
  return true;
});

/** ManagementStore.findSession. */
export const findSession = plain(
  "point",
  (connection, query: { hash: string; lifetime: SessionLifetime }, nowMs): FoundSession | null => {
    const { hash, lifetime } = query;
    const row = selectSession(connection, {
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
export const touchSession = plain("write", (connection, { id }: { id: string }, atMs): void => {
  updateUsed(connection, { id, atMs });
});

/** ManagementStore.endSession. */
export const endSession = plain("write", (connection, { id }: { id: string }, atMs): void => {
  const member = selectMemberOf(connection, { id });
  if (member === undefined) return;
  deleteSession(connection, { id });
  record(connection, {
    by: { kind: "member", id: member.id },
    atMs,
    organizationId: member.organizationId,
    action: "session.end",
    target: id,
  });
});

/** Ends all sessions of a member. */
export const deleteSessionsOf = change<{ memberId: string }>(`
  delete from sessions where member_id = :memberId`);

/** The member, if the password still is of that hash. */
export const selectHolder = one<{ memberId: string; passwordHash: string }, Member>(`
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

const insertSession = change<{ id: string; memberId: string; hash: string; atMs: number }>(`
  insert into sessions (id, member_id, hash, started_at_ms, used_at_ms)
  values (:id, :memberId, :hash, :atMs, :atMs)`);

const updateUsed = change<{ id: string; atMs: number }>(`
  update sessions set used_at_ms = :atMs where id = :id`);

const deleteSession = change<{ id: string }>(`
  delete from sessions where id = :id`);

const deleteStartedBefore = change<{ beforeMs: number; limit: number }>(`
  delete from sessions
   where rowid in (select rowid
                     from sessions
                    where started_at_ms <= :beforeMs
                    order by started_at_ms
                    limit +:limit)`);
