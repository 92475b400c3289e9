// Pages of the audit log, newest first.
import type { AuditAction } from "../../contract/manage/audit-actions.ts";
import type { Actor, AuditEntry, AuditValues } from "../../ports/store/audit.ts";
import { decodedOperation } from "../engine/operation.ts";
import { many } from "../engine/statement.ts";
import { parseStored } from "../engine/stored-json.ts";
import { type AuditRow, ENTRY_COLUMNS } from "./audit-chain.ts";

/** AuditStore.listAudit. */
export const listAudit = decodedOperation(
  "read",
  (tx, query: { organizationId: string | null; before: number | null; limit: number }) => {
    const { organizationId, before, limit } = query;
    const page = { beforeId: before ?? Number.MAX_SAFE_INTEGER, limit };
    return organizationId === null ? selectAll(tx, page) : selectOf(tx, { organizationId, ...page });
  },
  (rows) => rows.map(decodeEntry),
);

function decodeEntry({ actorKind, actorId, action, before, after, redacted, ...row }: AuditRow): AuditEntry {
  const read = (text: string | null) => (text === null ? null : parseStored<AuditValues>(text, "audit log"));
  return {
    ...row,
    by: { kind: actorKind as Actor["kind"], id: actorId },
    action: action as AuditAction,
    before: read(before),
    after: read(after),
    isRedacted: redacted === 1,
  };
}

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
