// The log of all changes to accounts: actor, action, time, and the values before and after. Append-only and chained by
// hashes. A procedure that changes accounts takes `by: Actor` and writes its entry in its own transaction (`record` of
// store/accounts/audit.ts).
import type { AuditAction } from "../../contract/manage/audit-actions.ts";
import type { ActorKind } from "../../contract/manage/roles.ts";

/**
 * The author of a change. `cli`: a command, by the operating system's user who ran it; `token`, `member`: a request to
 * the management interface, by the id of the token or member; `operator`: one by an operator with a session, by name;
 * `service`: the service itself (its first start, a signal).
 */
export interface Actor {
  readonly kind: ActorKind;
  readonly id: string;
}

/** Changed values by their documented names; never a secret. */
export type AuditValues = Readonly<Record<string, unknown>>;

export interface AuditEntry {
  /** Counts from 1 over the whole log. */
  readonly id: number;
  /** Null: a change to the platform itself. */
  readonly organizationId: string | null;
  readonly atMs: number;
  readonly by: Actor;
  /** The address of that member or the name of that token, as it is now; null: neither, or it is gone. */
  readonly actorName: string | null;
  readonly action: AuditAction;
  /** Id of the changed object; null: the organization itself. */
  readonly target: string | null;
  readonly before: AuditValues | null;
  readonly after: AuditValues | null;
  /** Whether its values were erased, because its organization was deleted; its hash is still that of the values. */
  readonly isRedacted: boolean;
  /** SHA-256 over the previous entry's hash and this entry's content, hexadecimal. */
  readonly hash: string;
}

/** Which entries to find; null: any. */
export interface AuditFilter {
  /** Null: entries of all organizations, and of the platform. */
  readonly organizationId: string | null;
  readonly action: AuditAction | null;
  /** The id of the actor, or the e-mail address of a member in any letter case. */
  readonly actor: string | null;
  /** The target, or the key or member of a budget that is the target. */
  readonly target: string | null;
  /** Milliseconds: the first one, and the first one after. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /**
   * The id before which older entries are found; null: nothing is left. A page that has read all that it may ends
   * there, filled or not.
   */
  readonly next: number | null;
}

/** Progress of a check of the chain. */
export interface AuditProgress {
  /** Id and hash of the last checked entry; 0 and "" before the first. */
  readonly id: number;
  readonly hash: string;
}

export interface AuditStore {
  /** Logs an erasure of content: `rows` that were deleted at least that many days ago. */
  logErasure(erasure: { by: Actor; olderThanDays: number; rows: number }): Promise<void>;
  /**
   * Logs that the process `node` serves new responses by another configuration: the names of the settings that differ.
   */
  logReload(reload: {
    by: Actor;
    node: string;
    changed: readonly string[];
    needsRestart: readonly string[];
  }): Promise<void>;
  /** Entries, newest first: of one organization, or (null) of all; only those before the id `before`, if given. */
  listAudit(query: {
    organizationId: string | null;
    before: number | null;
    limit: number;
  }): Promise<readonly AuditEntry[]>;
  /**
   * A page of the entries of a filter: the newest, or those before the id `before`. Reads `readsMax` entries at most,
   * however few of them fit the filter.
   */
  searchAudit(query: {
    filter: AuditFilter;
    before: number | null;
    limit: number;
    readsMax: number;
  }): Promise<AuditPage>;
  /**
   * Checks up to `limit` entries after `after`: ids without a gap and correct hashes. `brokenAt` is the first id that
   * was changed or is missing; `hashes` are those of the checked entries.
   */
  checkAudit(query: {
    after: AuditProgress;
    limit: number;
  }): Promise<{ readonly last: AuditProgress; readonly brokenAt: number | null; readonly hashes: readonly string[] }>;
}
