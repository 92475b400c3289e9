// Checks the whole audit log, a piece at a time: others read in between.
import type { AuditProgress, AuditStore } from "../../ports/audit.ts";

/** Entries checked at once; a few milliseconds. */
const ENTRIES_AT_ONCE = 1000;

export interface AuditVerdict {
  /** Entries that are as they were written. */
  readonly checked: number;
  /** Hash of the last of them: kept elsewhere, it proves later that nothing up to it was changed. */
  readonly head: string;
  /** The first entry that is not as it was written, or missing; null: the chain holds. */
  readonly brokenAt: number | null;
  /** Whether the expected head is the hash of an entry; null when none was expected. */
  readonly hasExpected: boolean | null;
}

/** Checks that no entry was changed or taken out; `expectedHead`: a head noted earlier, which a log rewritten or cut since lacks. */
export async function verifyAudit(
  store: Pick<AuditStore, "checkAudit">,
  expectedHead: string | null,
): Promise<AuditVerdict> {
  let last: AuditProgress = { id: 0, hash: "" };
  let hasExpected = expectedHead === null ? null : false;
  for (;;) {
    const step = await store.checkAudit({ after: last, limit: ENTRIES_AT_ONCE });
    if (expectedHead !== null && step.hashes.includes(expectedHead)) hasExpected = true;
    const isOver = step.brokenAt !== null || step.last.id === last.id;
    last = step.last;
    if (isOver) return { checked: last.id, head: last.hash, brokenAt: step.brokenAt, hasExpected };
  }
}
