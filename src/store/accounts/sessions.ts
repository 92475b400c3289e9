// Sessions of people: started, found, listed, ended, and deleted once they have expired. @spec authentication
import { SESSIONS_PER_PERSON_MAX } from "../../contract/manage/limits.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import type { Member } from "../../ports/store/accounts.ts";
import type { Actor } from "../../ports/store/audit.ts";
import type {
  FoundSession,
  ListedSession,
  ManagementStore,
  NewSession,
  Person,
  ProviderIdentity,
  SessionLifetime,
} from "../../ports/store/management.ts";
import { revokeTokensOf } from "./admin-tokens.ts";
import { record } from "./audit.ts";
import { assertRole, getMember, lockMember, MEMBER_COLUMNS } from "./members.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { change, many, one, write } from "../engine/statement.ts";

/** Expired sessions that each new one deletes: more than one, so that they never accumulate. */
const EXPIRED_BATCH = 100;

type MemberStart = Parameters<ManagementStore["startSession"]>[0];
type SessionsEnd = Parameters<ManagementStore["endSessions"]>[0];

/** ManagementStore.startSession. */
export const startSession = plainProcedure(
  "write",
  function* (tx, { memberId, expectedHash, session }: MemberStart, atMs): Steps<FoundSession | null> {
    yield* lockMember(tx, { memberId });
    const member = yield* selectPasswordHolder(tx, { memberId, passwordHash: expectedHash });
    if (member === undefined) return null;
    return yield* beginSession(tx, { kind: "member", member }, session, atMs);
  },
);

/**
 * Starts a session of a person who has proved to be that person. An operator's has the identity at the provider, if one
 * has proved it.
 */
export function* beginSession(
  tx: Transaction,
  person: Person,
  start: NewSession & Partial<ProviderIdentity>,
  atMs: number,
): Steps<FoundSession> {
  const { id, hash, lifetime, issuer = null, subject = null } = start;
  yield* deleteStartedBefore(tx, { beforeMs: atMs - lifetime.absoluteMs, limit: EXPIRED_BATCH });
  const by = actorOf(person);
  yield* DELETE_OLDEST[person.kind](tx, { holder: by.id, kept: SESSIONS_PER_PERSON_MAX - 1 });
  const memberId = person.kind === "member" ? person.member.id : null;
  const operator = person.kind === "operator" ? person.name : null;
  yield* insertSession(tx, { ...start, memberId, operator, issuer, subject, atMs });
  const organizationId = person.kind === "member" ? person.member.organizationId : null;
  yield* record(tx, { by, atMs, organizationId, action: "session.start", target: id });
  const found = yield* selectSession(tx, { hash, usedAfterMs: atMs - 1, startedAfterMs: atMs - 1 });
  if (found === undefined) throw new Error("the session that was started is not there");
  return toFound(found, lifetime);
}

/** ManagementStore.findSession. */
export const findSession = plainProcedure(
  "point",
  function* (tx, query: { hash: string; lifetime: SessionLifetime }, nowMs): Steps<FoundSession | null> {
    const { hash, lifetime } = query;
    const row = yield* selectSession(tx, { hash, ...expiryLimits(lifetime, nowMs) });
    return row === undefined ? null : toFound(row, lifetime);
  },
);

/** ManagementStore.touchSession. */
export const touchSession = plainProcedure("write", (tx, { id }: { id: string }, atMs) => updateUsed(tx, { id, atMs }));

/** ManagementStore.listSessions. */
export const listSessions = plainProcedure(
  "point",
  function* (
    tx,
    { memberId, lifetime }: { memberId: string | null; lifetime: SessionLifetime },
    nowMs,
  ): Steps<readonly ListedSession[]> {
    const select = memberId === null ? selectOfOperators : selectOfMember;
    const rows = yield* select(tx, { memberId, ...expiryLimits(lifetime, nowMs) });
    return rows.map((row) => ({ ...row, expiresAtMs: row.startedAtMs + lifetime.absoluteMs }));
  },
);

/** ManagementStore.endSessions. */
export const endSessions = plainProcedure(
  "write",
  function* (tx, { by, ids, of, tokensOf }: SessionsEnd, atMs): Steps<void> {
    if (of !== undefined) {
      const { organizationId, memberId, expectedRole } = of;
      yield* lockMember(tx, { memberId });
      assertRole(yield* getMember(tx, organizationId, memberId), expectedRole);
    }
    for (const id of ids) yield* endSession(tx, { by, id, atMs });
    if (tokensOf !== undefined) yield* revokeTokensOf(tx, { by, creator: tokensOf, atMs });
  },
);

/** Ends a session; does nothing if it has ended. */
export function* endSession(tx: Transaction, { by, id, atMs }: { by: Actor; id: string; atMs: number }): Steps<void> {
  const holder = yield* selectHolder(tx, { id });
  if (holder === undefined || (yield* deleteSession(tx, { id })).changes === 0) return;
  const { organizationId } = holder;
  yield* record(tx, { by, atMs, organizationId, action: "session.end", target: id });
}

/** How the audit log names a person. */
export function actorOf(person: Person): Actor {
  return person.kind === "member" ? { kind: "member", id: person.member.id } : { kind: "operator", id: person.name };
}

/** A session has expired unless it was used and started after these times. */
function expiryLimits({ idleMs, absoluteMs }: SessionLifetime, nowMs: number) {
  return { usedAfterMs: nowMs - idleMs, startedAfterMs: nowMs - absoluteMs };
}

function toFound(row: SessionRow, lifetime: SessionLifetime): FoundSession {
  const { sessionId, startedAtMs, usedAtMs, operator, hasPassword, ...member } = row;
  const person: Person = operator === null ? { kind: "member", member } : { kind: "operator", name: operator };
  return {
    id: sessionId,
    person,
    hasPassword: hasPassword === 1,
    usedAtMs,
    expiresAtMs: startedAtMs + lifetime.absoluteMs,
  };
}

/** Deletes all sessions of a member. */
export const deleteSessionsOf = write<{ memberId: string }>(`
  delete from sessions where member_id = :memberId`);

/** The member, if the password still has that hash, or (null) if there still is none. */
export const selectPasswordHolder = one<{ memberId: string; passwordHash: string | null }, Member>(`
  select ${MEMBER_COLUMNS}
    from members m
    left join member_passwords p on p.member_id = m.id
   where m.id = :memberId
     and coalesce(p.hash, '') = coalesce(:passwordHash, '')`);

/** The columns of the member are null for an operator. */
interface SessionRow extends Member {
  readonly operator: string | null;
  readonly hasPassword: 0 | 1;
  readonly sessionId: string;
  readonly startedAtMs: number;
  readonly usedAtMs: number;
}

const selectSession = one<{ hash: string; usedAfterMs: number; startedAfterMs: number }, SessionRow>(`
  select ${MEMBER_COLUMNS},
         s.operator,
         case when p.member_id is null then 0 else 1 end as hasPassword,
         s.id            as sessionId,
         s.started_at_ms as startedAtMs,
         s.used_at_ms    as usedAtMs
    from sessions s
    left join members m on m.id = s.member_id
    left join member_passwords p on p.member_id = s.member_id
   where s.hash = :hash
     and s.used_at_ms > :usedAfterMs
     and s.started_at_ms > :startedAfterMs`);

type ListedRow = Omit<ListedSession, "expiresAtMs">;

/** Lists the sessions that have not expired, by whose they are. */
const listOf = (condition: string) =>
  many<{ memberId: string | null; usedAfterMs: number; startedAfterMs: number }, ListedRow>(`
  select id,
         operator,
         started_at_ms as startedAtMs,
         used_at_ms    as usedAtMs,
         address,
         user_agent    as userAgent
    from sessions
   where ${condition}
     and used_at_ms > :usedAfterMs
     and started_at_ms > :startedAfterMs
   order by started_at_ms desc, id desc`);

const selectOfMember = listOf("member_id = :memberId");
const selectOfOperators = listOf("operator is not null");

const selectHolder = one<{ id: string }, { organizationId: string | null }>(`
  select m.organization_id as organizationId
    from sessions s
    left join members m on m.id = s.member_id
   where s.id = :id`);

const insertSession = write<
  Omit<NewSession, "lifetime"> & {
    memberId: string | null;
    operator: string | null;
    issuer: string | null;
    subject: string | null;
    atMs: number;
  }
>(`
  insert into sessions (id, member_id, operator, hash, started_at_ms, used_at_ms, address, user_agent, issuer, subject)
  values (:id, :memberId, :operator, :hash, :atMs, :atMs, :address, :userAgent, :issuer, :subject)`);

const updateUsed = write<{ id: string; atMs: number }>(`
  update sessions set used_at_ms = :atMs where id = :id`);

const deleteSession = change<{ id: string }>(`
  delete from sessions where id = :id`);

/** Deletes the sessions of a person but the newest, by the column of the person. */
const deleteOldest = (column: "member_id" | "operator") =>
  write<{ holder: string; kept: number }>(`
  delete from sessions
   where ${column} = :holder
     and id not in (select id
                      from sessions
                     where ${column} = :holder
                     order by started_at_ms desc, id desc
                     limit +:kept)`);

const DELETE_OLDEST = { member: deleteOldest("member_id"), operator: deleteOldest("operator") } as const;

const deleteStartedBefore = write<{ beforeMs: number; limit: number }>(`
  delete from sessions
   where rowid in (select rowid
                     from sessions
                    where started_at_ms <= :beforeMs
                    order by started_at_ms
                    limit +:limit)`);
