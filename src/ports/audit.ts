// The log of every change that is made to accounts: who, what, when, and the values before and after. Append-only and chained by
// hashes. An operation of the store that changes accounts takes `by: Actor` and writes its row in its own transaction
// (`record` of store/sqlite/accounts/audit.ts).
import type { ActorKind } from "../contract/manage/roles.ts";

/**
 * Who makes a change. `cli`: a command, by the operating system's user that ran it; `token`, `member`: a request to the management
 * interface, by the id of the one who made it; `service`: the service itself (its first start).
 */
export interface Actor {
  readonly kind: ActorKind;
  readonly id: string;
}

/** Everything that is logged, as `<what>.<done>`. */
export const AUDIT_ACTIONS = [
  "organization.create",
  "organization.rename",
  "organization.suspend",
  "organization.resume",
  "plan.start",
  "plan.stop",
  "payment_method.set",
  "payment_method.clear",
  "policy.set",
  "limits.set",
  "credits.add",
  "member.add",
  "member.remove",
  "member.role",
  "member.sign_in_link",
  "member.password",
  "key.create",
  "key.rotate",
  "key.revoke",
  "budget.set",
  "budget.clear",
  "token.create",
  "token.revoke",
  "session.start",
  "session.end",
  "content.erase",
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Changed values by their documented names; never a secret. */
export type AuditValues = Readonly<Record<string, unknown>>;

export interface AuditEntry {
  /** Counted from 1 over the whole log. */
  readonly id: number;
  /** Null: a change to the platform itself. */
  readonly organizationId: string | null;
  readonly atMs: number;
  readonly by: Actor;
  readonly action: AuditAction;
  /** Id of what was changed; null: the organization itself. */
  readonly target: string | null;
  readonly before: AuditValues | null;
  readonly after: AuditValues | null;
  /** SHA-256 over the hash of the entry before and this entry's content, hexadecimal. */
  readonly hash: string;
}

/** How far a check of the chain has come. */
export interface AuditProgress {
  /** Id and hash of the last entry that was checked; 0 and "" before the first. */
  readonly id: number;
  readonly hash: string;
}

export interface AuditStore {
  /** Logs that content was erased: `rows` of what was deleted that many days ago or more. */
  logErasure(erasure: { by: Actor; olderThanDays: number; rows: number }): Promise<void>;
  /** Entries, newest first: of one organization, or (null) all; those before an id when `before` is given. */
  listAudit(query: {
    organizationId: string | null;
    before: number | null;
    limit: number;
  }): Promise<readonly AuditEntry[]>;
  /**
   * Checks up to `limit` entries behind `after`: that ids have no gap and each hash is its own. `brokenAt`: the first id that is
   * not what was written, or missing. `hashes` are those of the entries that were checked.
   */
  checkAudit(query: {
    after: AuditProgress;
    limit: number;
  }): Promise<{ readonly last: AuditProgress; readonly brokenAt: number | null; readonly hashes: readonly string[] }>;
}
