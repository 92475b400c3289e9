// Removes the values from a deleted organization's entries in the audit log, and tells such entries from forged ones.
//
// The hash of an entry covers its values, so it cannot be computed again without them. Each redaction is an entry
// itself: its digest covers what is left of the entries between two ids, their hashes, and the hashes before them. So
// the chain stays verifiable as a whole, except for the values that were erased.
import { hash } from "node:crypto";
import type { Actor } from "../../ports/store/audit.ts";
import { parseStored } from "../engine/stored-json.ts";
import { many, one, write } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { lockAudit, record } from "./audit.ts";
import { type AuditRow, ENTRY_COLUMNS, hashOf } from "./audit-chain.ts";

/** The values of an entry `organization.redact`. */
interface Redaction {
  readonly first_id: number;
  readonly last_id: number;
  readonly entries: number;
  readonly digest: string;
  /** Whether the entries were what their hashes say, before their values were erased. */
  readonly intact: boolean;
}

type ChainedRow = AuditRow & { readonly previousHash: string | null };

/**
 * Redacts up to `limit` entries of a deleted organization, of those before its deletion, and records that; returns
 * their number.
 */
export function* redactEntries(
  tx: Transaction,
  { by, organizationId, nowMs, limit }: { by: Actor; organizationId: string; nowMs: number; limit: number },
): Steps<number> {
  if (limit <= 0) return 0;
  // Two processes that erase the same organization redact one after the other.
  yield* lockAudit(tx, {});
  const after = lastOf(yield* selectLastRedaction(tx, { organizationId }));
  const rows = yield* selectRows(tx, { organizationId, after, limit });
  const [first] = rows;
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return 0;
  const redaction: Redaction = {
    first_id: first.id,
    last_id: last.id,
    entries: rows.length,
    digest: digestOf(rows),
    intact: rows.every((row) => row.hash === hashOf(row, row.previousHash ?? "")),
  };
  yield* redact(tx, { organizationId, firstId: first.id, lastId: last.id });
  yield* record(tx, {
    by,
    atMs: nowMs,
    organizationId,
    action: "organization.redact",
    target: null,
    after: { ...redaction },
  });
  return rows.length;
}

/** Whether an entry without values is as its redaction left it. */
type RedactionCheck = (row: AuditRow) => Steps<boolean>;

/** Creates a check that reads the entries of each redaction once. */
export function createRedactionCheck(tx: Transaction): RedactionCheck {
  /** By organization: first and last id of its redactions, and whether they are intact. */
  const known = new Map<string, { firstId: number; lastId: number; isIntact: boolean }>();
  return function* ({ id, organizationId, before, after }) {
    if (organizationId === null || before !== null || after !== null) return false;
    const last = known.get(organizationId);
    if (last !== undefined && last.firstId <= id && id <= last.lastId) return last.isIntact;
    for (const text of yield* selectRedactions(tx, { organizationId, id })) {
      const redaction = parseStored<Redaction>(text.after, "audit log");
      const { first_id: firstId, last_id: lastId, entries, digest, intact } = redaction;
      if (firstId > id || id > lastId) continue;
      const rows = yield* selectBetween(tx, { organizationId, firstId, lastId });
      const isIntact = intact && rows.length === entries && digestOf(rows) === digest;
      known.set(organizationId, { firstId, lastId, isIntact });
      return isIntact;
    }
    return false;
  };
}

function lastOf(redaction: { readonly after: string } | undefined): number {
  return redaction === undefined ? 0 : parseStored<Redaction>(redaction.after, "audit log").last_id;
}

function digestOf(rows: readonly ChainedRow[]): string {
  const left = rows.map((row) => {
    const { id, organizationId, atMs, actorKind, actorId, action, target, hash: own, previousHash } = row;
    return [previousHash ?? "", id, organizationId, atMs, actorKind, actorId, action, target, own];
  });
  return hash("sha256", JSON.stringify(left), "hex");
}

const CHAINED = `
  select ${ENTRY_COLUMNS},
         (select previous.hash from audit_log previous where previous.id = audit_log.id - 1) as previousHash
    from audit_log
   where organization_id = :organizationId`;

/** What comes after the deletion has no values of the organization. */
const selectRows = many<{ organizationId: string; after: number; limit: number }, ChainedRow>(`${CHAINED}
     and id > :after
     and id < (select min(deletion.id)
                 from audit_log deletion
                where deletion.organization_id = :organizationId
                  and deletion.action = 'organization.delete')
   order by id
   limit +:limit`);

const selectBetween = many<{ organizationId: string; firstId: number; lastId: number }, ChainedRow>(`${CHAINED}
     and id between :firstId and :lastId
     and redacted = 1
   order by id`);

const selectLastRedaction = one<{ organizationId: string }, { readonly after: string }>(`
  select after
    from audit_log
   where organization_id = :organizationId
     and action = 'organization.redact'
   order by id desc
   limit 1`);

const selectRedactions = many<{ organizationId: string; id: number }, { readonly after: string }>(`
  select after
    from audit_log
   where organization_id = :organizationId
     and id > :id
     and action = 'organization.redact'
   order by id`);

const redact = write<{ organizationId: string; firstId: number; lastId: number }>(`
  update audit_log
     set before   = null,
         after    = null,
         redacted = 1
   where organization_id = :organizationId
     and id between :firstId and :lastId`);
