// The audit log: one row a change, in the change's own transaction, chained by hashes. @spec authentication
import { hash } from "node:crypto";
import type { Actor, AuditAction, AuditEntry, AuditProgress, AuditValues } from "../../../ports/audit.ts";
import { parseStored } from "../database/stored-json.ts";
import type { Connection } from "../database/connection.ts";
import { asIs, coded, plain } from "../database/operation.ts";
import { change, many, one } from "../database/statement.ts";

/** A change as the operation that makes it tells it. */
export interface AuditRecord {
  readonly by: Actor;
  /** The store's clock. */
  readonly atMs: number;
  /** Null: a change to the platform itself. */
  readonly organizationId: string | null;
  readonly action: AuditAction;
  /** Id of what is changed; null: the organization itself. */
  readonly target: string | null;
  /** Values that JSON can hold, under their documented names and without secrets; absent where there was, or is, nothing. */
  readonly before?: AuditValues;
  readonly after?: AuditValues;
}

/**
 * Writes a change into the log; call it inside the transaction that makes the change. Of values that are given before and after,
 * only those that differ are kept, and when none does there was no change and nothing is written.
 */
export function record(connection: Connection, { by, before, after, ...entry }: AuditRecord): void {
  const changed = differences(before, after);
  if (changed === null) return;
  const last = selectLast(connection, {}) ?? NONE_BEFORE;
  const row: HashedRow = {
    id: last.id + 1,
    organizationId: entry.organizationId,
    atMs: entry.atMs,
    actorKind: by.kind,
    actorId: by.id,
    action: entry.action,
    target: entry.target,
    before: changed.before,
    after: changed.after,
  };
  insertEntry(connection, { ...row, hash: hashOf(row, last.hash) });
}

/** AuditStore.logErasure. */
export const logErasure = plain(
  "write",
  (connection, erasure: { by: Actor; olderThanDays: number; rows: number }, atMs): void => {
    const { by, olderThanDays, rows } = erasure;
    const after = { older_than_days: olderThanDays, rows };
    record(connection, { by, atMs, organizationId: null, action: "content.erase", target: null, after });
  },
);

/** AuditStore.listAudit. */
export const listAudit = coded({
  side: "read",
  encode: asIs<{ organizationId: string | null; before: number | null; limit: number }>,
  run: (connection, { organizationId, before, limit }) => {
    const page = { beforeId: before ?? Number.MAX_SAFE_INTEGER, limit };
    return organizationId === null ? selectAll(connection, page) : selectOf(connection, { organizationId, ...page });
  },
  decode: (rows: AuditRow[]): readonly AuditEntry[] => rows.map(decodeEntry),
});

/** AuditStore.checkAudit. */
export const checkAudit = plain("read", (connection, { after, limit }: { after: AuditProgress; limit: number }) => {
  let last = after;
  const hashes: string[] = [];
  for (const row of selectBehind(connection, { id: after.id, limit })) {
    if (row.id !== last.id + 1 || row.hash !== hashOf(row, last.hash)) return { last, brokenAt: last.id + 1, hashes };
    last = { id: row.id, hash: row.hash };
    hashes.push(row.hash);
  }
  return { last, brokenAt: null, hashes };
});

const NONE_BEFORE: AuditProgress = { id: 0, hash: "" };

/** An entry but for its hash: all that the hash is taken over. */
interface HashedRow {
  readonly id: number;
  readonly organizationId: string | null;
  readonly atMs: number;
  readonly actorKind: string;
  readonly actorId: string;
  readonly action: string;
  readonly target: string | null;
  readonly before: string | null;
  readonly after: string | null;
}

type AuditRow = HashedRow & { readonly hash: string };

/** The list of values is one JSON text, so that no two rows give the same bytes. Frozen: stored hashes depend on it. */
function hashOf(row: HashedRow, previousHash: string): string {
  const { id, organizationId, atMs, actorKind, actorId, action, target, before, after } = row;
  const content = [previousHash, id, organizationId, atMs, actorKind, actorId, action, target, before, after];
  return hash("sha256", JSON.stringify(content), "hex");
}

/** The values to keep, as JSON; null when both sides are there and equal. */
function differences(
  before: AuditValues | undefined,
  after: AuditValues | undefined,
): { before: string | null; after: string | null } | null {
  if (before === undefined || after === undefined) return { before: toText(before), after: toText(after) };
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (names.length === 0) return null;
  const pick = (values: AuditValues) => Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
  return { before: toText(pick(before)), after: toText(pick(after)) };
}

function toText(values: AuditValues | undefined): string | null {
  return values === undefined ? null : JSON.stringify(values);
}

function decodeEntry({ actorKind, actorId, action, before, after, ...row }: AuditRow): AuditEntry {
  const read = (text: string | null) => (text === null ? null : parseStored<AuditValues>(text, "audit log"));
  return {
    ...row,
    by: { kind: actorKind as Actor["kind"], id: actorId },
    action: action as AuditAction,
    before: read(before),
    after: read(after),
  };
}

const ENTRY_COLUMNS = `
         id,
         organization_id as organizationId,
         at_ms           as atMs,
         actor_kind      as actorKind,
         actor_id        as actorId,
         action,
         target,
         before,
         after,
         hash`;

const selectLast = one<Record<never, never>, AuditProgress>(`
  select id, hash
    from audit_log
   order by id desc
   limit 1`);

const selectAll = many<{ beforeId: number; limit: number }, AuditRow>(`
  select ${ENTRY_COLUMNS}
    from audit_log
   where id < :beforeId
   order by id desc
   limit +:limit`);

const selectOf = many<{ organizationId: string; beforeId: number; limit: number }, AuditRow>(`
  select ${ENTRY_COLUMNS}
    from audit_log
   where organization_id = :organizationId
     and id < :beforeId
   order by id desc
   limit +:limit`);

const selectBehind = many<{ id: number; limit: number }, AuditRow>(`
  select ${ENTRY_COLUMNS}
    from audit_log
   where id > :id
   order by id
   limit +:limit`);

const insertEntry = change<AuditRow>(`
  insert into audit_log (id, organization_id, at_ms, actor_kind, actor_id, action, target, before, after, hash)
  values (:id, :organizationId, :atMs, :actorKind, :actorId, :action, :target, :before, :after, :hash)`);
