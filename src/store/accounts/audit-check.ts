// Checks the chain of the audit log, in pieces.
import type { AuditProgress } from "../../ports/store/audit.ts";
import { type AuditRow, ENTRY_COLUMNS, hashOf } from "./audit-chain.ts";
import { plainOperation } from "../engine/operation.ts";
import { createRedactionCheck } from "./redaction.ts";
import { many } from "../engine/statement.ts";

/** AuditStore.checkAudit. */
export const checkAudit = plainOperation(
  "read",
  function* (tx, { after, limit }: { after: AuditProgress; limit: number }) {
    let last = after;
    const hashes: string[] = [];
    const isRedacted = createRedactionCheck(tx);
    for (const row of yield* selectAfter(tx, { id: after.id, limit })) {
      const isIntact = row.redacted === 1 ? yield* isRedacted(row) : row.hash === hashOf(row, last.hash);
      if (row.id !== last.id + 1 || !isIntact) return { last, brokenAt: last.id + 1, hashes };
      last = { id: row.id, hash: row.hash };
      hashes.push(row.hash);
    }
    return { last, brokenAt: null, hashes };
  },
);

const selectAfter = many<{ id: number; limit: number }, AuditRow>(`
  select ${ENTRY_COLUMNS}
    from audit_log
   where id > :id
   order by id
   limit +:limit`);
