// Verifies the audit log in batches, so that other reads can run in between.
import type { AuditProgress, AuditStore } from "../../ports/store/audit.ts";

/** Entries per batch: a few milliseconds. */
const ENTRIES_AT_ONCE = 1000;

/** What the verification of the audit log has found. */
export interface AuditVerdict {
  /** Number of intact entries. */
  readonly checked: number;
  /** Hash of the last intact entry. Kept elsewhere, it proves later that nothing up to it was changed. */
  readonly head: string;
  /** Id of the first changed or missing entry; null if the chain is intact. */
  readonly brokenAt: number | null;
  /** Whether an entry has the expected head as its hash; null if none was expected. */
  readonly hasExpected: boolean | null;
}

/**
 * Checks that no entry was changed or removed. A log that was rewritten or cut since lacks the `expectedHead` noted
 * earlier.
 */
export async function verifyAudit(
  store: Pick<AuditStore, "checkAudit">,
  expectedHead: string | null,
): Promise<AuditVerdict> {
  let last: AuditProgress = { id: 0, hash: "" };
  let hasExpected = expectedHead === null ? null : false;
  for (;;) {
    const step = await store.checkAudit({ after: last, limit: ENTRIES_AT_ONCE });
    if (expectedHead !== null && step.hashes.includes(expectedHead)) hasExpected = true;
    const isLast = step.brokenAt !== null || step.last.id === last.id;
    last = step.last;
    if (isLast) return { checked: last.id, head: last.hash, brokenAt: step.brokenAt, hasExpected };
  }
}
