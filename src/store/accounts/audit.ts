// The audit log: one row per change, in the change's own transaction, chained by hashes. @spec authentication
import { hash } from "node:crypto";
import type { RuleSetter } from "../../ports/store/accounts.ts";
import type { Actor, AuditProgress, AuditValues, AuditEntry } from "../../ports/store/audit.ts";
import { type AuditRow, type HashedRow, hashOf } from "./audit-chain.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { lock, one, write } from "../engine/statement.ts";
import { CHANGE_EVENTS, type EventType } from "../../contract/manage/event-types.ts";
import { parseBudget } from "../../core/money/budgets.ts";
import { emit, type EmittedEvent } from "../events/feed.ts";
import { aboutBudget } from "../events/spending.ts";

/** A change, as the procedure that makes it records it. */
export interface AuditRecord extends Change {
  /**
   * Values that JSON can hold, under their documented names and without secrets; absent when there were, or are, none.
   */
  readonly before?: AuditValues;
  readonly after?: AuditValues;
  /** Of a rule that the operator and the organization may set: who has; shown with the new values. */
  readonly setBy?: RuleSetter;
}

/**
 * Records a change; called inside the transaction that makes it. Of values given before and after, only those that
 * differ are kept. When none differs, nothing changed and nothing is recorded.
 */
export function* record(tx: Transaction, { before, after, setBy, ...entry }: AuditRecord): Steps<void> {
  const changed = differences(before, after, setBy === undefined ? {} : { set_by: setBy });
  if (changed === null) return;
  yield* lockAudit(tx, {});
  const last = (yield* selectLast(tx, {})) ?? NONE_BEFORE;
  const { by, ...whose } = entry;
  const { values, ...texts } = changed;
  const row: HashedRow = { id: last.id + 1, ...whose, actorKind: by.kind, actorId: by.id, ...texts };
  yield* insertEntry(tx, { ...row, hash: hashOf(row, last.hash) });
  emitChange(entry, values, tx);
}

/** AuditStore.logErasure. */
export const logErasure = plainProcedure(
  "write",
  function* (tx, erasure: { by: Actor; olderThanDays: number; rows: number }, atMs): Steps<void> {
    const { by, olderThanDays, rows } = erasure;
    const after = { older_than_days: olderThanDays, rows };
    yield* record(tx, { by, atMs, organizationId: null, action: "content.erase", target: null, after });
  },
);

/** ExportStore.logExport. */
export const logExport = plainProcedure(
  "write",
  function* (
    tx,
    exported: { by: Actor; organizationId: string; lines: Readonly<Record<string, number>> },
    atMs,
  ): Steps<void> {
    const { by, organizationId, lines } = exported;
    yield* record(tx, { by, atMs, organizationId, action: "organization.export", target: null, after: { lines } });
  },
);

/** AuditStore.logReload. */
export const logReload = plainProcedure(
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

/** The JSON of a value that is kept whole, characters: a hundred model ids. */
const VALUE_CHARACTERS_MAX = 4000;

const NONE_BEFORE: AuditProgress = { id: 0, hash: "" };

/**
 * The values to keep, as JSON, and in `values` the new ones with `added`, or the last ones of a removed object. Null when
 * both sides are given and equal.
 */
function differences(
  before: AuditValues | undefined,
  after: AuditValues | undefined,
  added: AuditValues,
): { before: string | null; after: string | null; values: AuditValues } | null {
  if (before === undefined || after === undefined) {
    const removed = before && boundedValues(before);
    const set = after && boundedValues({ ...after, ...added });
    return { before: toText(removed), after: toText(set), values: set ?? removed ?? {} };
  }
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (names.length === 0) return null;
  const pick = (values: AuditValues) =>
    boundedValues(Object.fromEntries(names.map((name) => [name, values[name] ?? null])));
  const set = { ...pick(after), ...added };
  return { before: toText(pick(before)), after: toText(set), values: set };
}

/**
 * The values, of which long ones are shortened, since the log and the feed of events keep every row: to the beginning of a
 * list or text, with the SHA-256 of the JSON of all, so that two that differ still do.
 */
function boundedValues(values: AuditValues): AuditValues {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, bounded(value)]));
}

function bounded(value: unknown): unknown {
  const json = JSON.stringify(value) ?? "";
  if (json.length <= VALUE_CHARACTERS_MAX) return value;
  const sum = `SHA-256 of all: ${hash("sha256", json, "hex")}`;
  if (!Array.isArray(value)) return `${json.slice(0, VALUE_CHARACTERS_MAX).toWellFormed()}… (${sum})`;
  const entries: readonly unknown[] = value;
  let length = 0;
  const cut = entries.findIndex((entry) => (length += JSON.stringify(entry).length + 1) >= VALUE_CHARACTERS_MAX);
  return [...entries.slice(0, cut), `… and ${entries.length - cut} more (${sum})`];
}

function toText(values: AuditValues | undefined): string | null {
  return values === undefined ? null : JSON.stringify(values);
}

/**
 * Serializes the transactions that record changes. They lock the first row, because the last row is a different one for
 * each. While the log is empty, the primary key rejects the second of two entries with the same id, and the engine runs
 * that call again.
 */
export const lockAudit = lock<Record<never, never>>(`
  select id
    from audit_log
   where id = 1`);

const selectLast = one<Record<never, never>, AuditProgress>(`
  select id, hash
    from audit_log
   order by id desc
   limit 1`);

const insertEntry = write<Omit<AuditRow, "redacted">>(`
  insert into audit_log (id, organization_id, at_ms, actor_kind, actor_id, action, target, before, after, hash)
  values (:id, :organizationId, :atMs, :actorKind, :actorId, :action, :target, :before, :after, :hash)`);

/** A change to accounts. */
export type Change = Pick<AuditEntry, "by" | "atMs" | "organizationId" | "action" | "target">;

/** Emits the event of a change, if it has one. `values`: the new values, or the last ones of a removed object. */
export function emitChange(change: Change, values: AuditValues, tx: Transaction): void {
  const { action, organizationId, atMs, target, by } = change;
  const type = CHANGE_EVENTS.find((each) => each === action);
  if (type === undefined) return;
  // The events of a deleted organization are erased; this one is the service's.
  if (type === "organization.delete")
    return emit({ organizationId: null, atMs, type, target: organizationId, by, data: {} }, tx);
  emit({ organizationId, atMs, type, target, by, data: values, ...nameOf(type, target, values) }, tx);
}

/** The name that the event shows: of its target, or of the person that it is about. */
function nameOf(type: EventType, target: string | null, values: AuditValues): Pick<EmittedEvent, "about" | "name"> {
  // A removed member has no row any more.
  if (typeof values["email"] === "string") return { name: values["email"] };
  if (target === null) return {};
  const [object] = type.split(".");
  if (object === "key" || object === "member") return { about: { kind: object, id: target } };
  const budget = object === "budget" ? parseBudget(target) : null;
  return budget === null ? {} : aboutBudget(budget);
}
