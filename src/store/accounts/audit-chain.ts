// Rows of the audit log and the hashes that chain them.
import { hash } from "node:crypto";
import type { ActorKind } from "../../contract/manage/roles.ts";
import type { AuditEntry } from "../../ports/store/audit.ts";

/** An entry without its hash: everything that the hash covers. */
export interface HashedRow extends Omit<AuditEntry, "by" | "actorName" | "before" | "after" | "isRedacted" | "hash"> {
  readonly actorKind: ActorKind;
  readonly actorId: string;
  readonly before: string | null;
  readonly after: string | null;
}

export type AuditRow = HashedRow & {
  readonly hash: string;
  /** 1: its values were erased (redaction.ts). */
  readonly redacted: number;
};

/**
 * The values are hashed as one JSON list, so that no two different rows give the same bytes. Frozen: stored hashes
 * depend on it.
 */
export function hashOf(row: HashedRow, previousHash: string): string {
  const { id, organizationId, atMs, actorKind, actorId, action, target, before, after } = row;
  const content = [previousHash, id, organizationId, atMs, actorKind, actorId, action, target, before, after];
  return hash("sha256", JSON.stringify(content), "hex");
}

/** The columns of AuditRow, for a select from `audit_log`. */
export const ENTRY_COLUMNS = `
         id,
         organization_id as organizationId,
         at_ms           as atMs,
         actor_kind      as actorKind,
         actor_id        as actorId,
         action,
         target,
         before,
         after,
         hash,
         redacted`;
