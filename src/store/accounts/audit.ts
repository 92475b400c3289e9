// The audit log: one row per change, in the change's own transaction, chained by hashes. @spec authentication
import { hash } from "node:crypto";
import type { Actor, AuditAction, AuditEntry, AuditProgress, AuditValues } from "../../ports/store/audit.ts";
import { emitChange } from "../events/changes.ts";
import { parseStored } from "../engine/stored-json.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { identity, encodedOperation, plainOperation } from "../engine/operation.ts";
import { lock, many, one, write } from "../engine/statement.ts";

/** A change, as the operation that makes it records it. */
export interface AuditRecord {
  readonly by: Actor;
  /** The store's clock. */
  readonly atMs: number;
  /** Null: a change to the platform itself. */
  readonly organizationId: string | null;
  readonly action: AuditAction;
  /** Id of the changed object; null: the organization itself. */
  readonly target: string | null;
  /**
   * Values that JSON can hold, under their documented names and without secrets; absent when there were, or are, none.
   */
  readonly before?: AuditValues;
  readonly after?: AuditValues;
}

/**
 * Records a change; called inside the transaction that makes it. Of values given before and after, only those that
 * differ are kept. When none differs, nothing changed and nothing is recorded.
 */
export function* record(tx: Transaction, { by, before, after, ...entry }: AuditRecord): Steps<void> {
  const changed = differences(before, after);
  if (changed === null) return;
  yield* lockFirst(tx, {});
  const last = (yield* selectLast(tx, {})) ?? NONE_BEFORE;
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
  yield* insertEntry(tx, { ...row, hash: hashOf(row, last.hash) });
  emitChange({ by, ...entry }, changed.values, tx);
}

/** AuditStore.logErasure. */
export const logErasure = plainOperation(
  "write",
  function* (tx, erasure: { by: Actor; olderThanDays: number; rows: number }, atMs): Steps<void> {
    const { by, olderThanDays, rows } = erasure;
    const after = { older_than_days: olderThanDays, rows };
    yield* record(tx, { by, atMs, organizationId: null, action: "content.erase", target: null, after });
  },
);

/** AuditStore.logReload. */
export const logReload = plainOperation(
  "write",
  function* (
    tx,
    reload: { by: Actor; node: string; changed: readonly string[]; needsRestart: readonly string[] },
    atMs,
  ): Steps<void> {
    const { by, node, changed, needsRestart } = reload;
    const after = { changed, needs_restart: needsRestart };
    yield* record(tx, { by, atMs, organizationId: null, action: "configuration.reload", target: node, after });
  },
);

/** AuditStore.listAudit. */
export const listAudit = encodedOperation({
  side: "read",
  encode: identity<{ organizationId: string | null; before: number | null; limit: number }>,
  run: function* (tx, { organizationId, before, limit }) {
    const page = { beforeId: before ?? Number.MAX_SAFE_INTEGER, limit };
    return organizationId === null ? yield* selectAll(tx, page) : yield* selectOf(tx, { organizationId, ...page });
  },
  decode: (rows: AuditRow[]): readonly AuditEntry[] => rows.map(decodeEntry),
});

/** AuditStore.checkAudit. */
export const checkAudit = plainOperation(
  "read",
  function* (tx, { after, limit }: { after: AuditProgress; limit: number }) {
    let last = after;
    const hashes: string[] = [];
    for (const row of yield* selectAfter(tx, { id: after.id, limit })) {
      if (row.id !== last.id + 1 || row.hash !== hashOf(row, last.hash)) return { last, brokenAt: last.id + 1, hashes };
      last = { id: row.id, hash: row.hash };
      hashes.push(row.hash);
    }
    return { last, brokenAt: null, hashes };
  },
);

const NONE_BEFORE: AuditProgress = { id: 0, hash: "" };

/** An entry without its hash: everything that the hash covers. */
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

/**
 * The values are hashed as one JSON list, so that no two different rows give the same bytes. Frozen: stored hashes
 * depend on it.
 */
function hashOf(row: HashedRow, previousHash: string): string {
  const { id, organizationId, atMs, actorKind, actorId, action, target, before, after } = row;
  const content = [previousHash, id, organizationId, atMs, actorKind, actorId, action, target, before, after];
  return hash("sha256", JSON.stringify(content), "hex");
}

/** The values to keep, as JSON, and those that are now, or of a removed object were; null when both sides are given and equal. */
function differences(
  before: AuditValues | undefined,
  after: AuditValues | undefined,
): { before: string | null; after: string | null; values: AuditValues } | null {
  if (before === undefined || after === undefined) {
    return { before: toText(before), after: toText(after), values: after ?? before ?? {} };
  }
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (names.length === 0) return null;
  const pick = (values: AuditValues) => Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
  return { before: toText(pick(before)), after: toText(pick(after)), values: pick(after) };
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

/**
 * Serializes the transactions that record changes. They lock the first row, because the last row is a different one for
 * each. While the log is empty, the primary key rejects the second of two entries with the same id, and the engine runs
 * that operation again.
 */
const lockFirst = lock<Record<never, never>>(`
  select id
    from audit_log
   where id = 1`);

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

const selectAfter = many<{ id: number; limit: number }, AuditRow>(`
  select ${ENTRY_COLUMNS}
    from audit_log
   where id > :id
   order by id
   limit +:limit`);

const insertEntry = write<AuditRow>(`
  insert into audit_log (id, organization_id, at_ms, actor_kind, actor_id, action, target, before, after, hash)
  values (:id, :organizationId, :atMs, :actorKind, :actorId, :action, :target, :before, :after, :hash)`);
