// Changes of the audit log that are events of the feed too.
import { CHANGE_EVENTS, type EventType } from "../../contract/manage/event-types.ts";
import type { AuditEntry, AuditValues } from "../../ports/store/audit.ts";
import type { Transaction } from "../engine/transaction.ts";
import { emit, type EmittedEvent } from "./feed.ts";

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

/** Whose name the event gets. */
function nameOf(type: EventType, target: string | null, values: AuditValues): Pick<EmittedEvent, "about" | "name"> {
  // A removed member has no row any more.
  if (typeof values["email"] === "string") return { name: values["email"] };
  if (target === null) return {};
  const [object] = type.split(".");
  if (object === "key" || object === "member") return { about: { kind: object, id: target } };
  const [, kind, id] = /^(key|member) (\S+) /.exec(object === "budget" ? target : "") ?? [];
  return (kind === "key" || kind === "member") && id !== undefined ? { about: { kind, id } } : {};
}
