// Reads of the audit log: pages, newest first, and the check of its chain, in pieces.
import type {
  AuditEntry,
  AuditFilter,
  AuditPage,
  AuditStore,
  AuditValues,
  AuditProgress,
} from "../../ports/store/audit.ts";
import { decodedProcedure, plainProcedure } from "../engine/procedure.ts";
import { many, one } from "../engine/statement.ts";
import { parseStored } from "../engine/stored-json.ts";
import type { Steps } from "../engine/transaction.ts";
import { type AuditRow, ENTRY_COLUMNS, hashOf } from "./audit-chain.ts";
import { ACTOR_NAME } from "../events/feed.ts";
import { createRedactionCheck } from "./redaction.ts";

/** AuditStore.listAudit. */
export const listAudit = decodedProcedure(
  "read",
  (tx, query: { organizationId: string | null; before: number | null; limit: number }) => {
    const { organizationId, before, limit } = query;
    const stretch = { afterId: 0, beforeId: before ?? Number.MAX_SAFE_INTEGER };
    return pathOf(organizationId).selectPage(tx, { ...ANY, organizationId, ...stretch, limit });
  },
  (rows) => rows.map(decodeEntry),
);

/** AuditStore.searchAudit. */
export const searchAudit = decodedProcedure(
  "aside",
  function* (tx, query: Parameters<AuditStore["searchAudit"]>[0]): Steps<{ rows: ListedRow[]; next: number | null }> {
    const { filter, limit, readsMax } = query;
    const { selectPage, selectNth } = pathOf(filter.organizationId);
    const beforeId = query.before ?? Number.MAX_SAFE_INTEGER;
    const { organizationId: _, ...conditions } = filter;
    const isSearch = Object.values(conditions).some((condition) => condition !== null);
    // Where all entries fit, a page reads no more than it has.
    const end = isSearch
      ? yield* selectNth(tx, { organizationId: filter.organizationId, beforeId, skipped: readsMax - 1 })
      : undefined;
    const afterId = end === undefined ? 0 : end.id - 1;
    // One more than the page, to know whether there are more.
    const found = yield* selectPage(tx, { ...filter, afterId, beforeId, limit: limit + 1 });
    const rows = found.slice(0, limit);
    return { rows, next: found.length > limit ? (rows.at(-1)?.id ?? null) : (end?.id ?? null) };
  },
  ({ rows, next }): AuditPage => ({ entries: rows.map(decodeEntry), next }),
);

const ANY = { action: null, actor: null, target: null, fromMs: null, toMs: null };

type ListedRow = AuditRow & Pick<AuditEntry, "actorName">;

function decodeEntry({ actorKind, actorId, before, after, redacted, ...row }: ListedRow): AuditEntry {
  const read = (text: string | null) => (text === null ? null : parseStored<AuditValues>(text, "audit log"));
  return {
    ...row,
    by: { kind: actorKind, id: actorId },
    before: read(before),
    after: read(after),
    isRedacted: redacted === 1,
  };
}

interface PathParameters {
  readonly organizationId: string | null;
  readonly beforeId: number;
}

/**
 * The statements along one index: the condition is on its first column. A budget's target (core/money/budgets.ts) has
 * an id as a word of it.
 */
function path(condition: string) {
  return {
    selectPage: many<PathParameters & AuditFilter & { afterId: number; limit: number }, ListedRow>(`
  select ${ENTRY_COLUMNS},${ACTOR_NAME}
    from audit_log
   where ${condition} id < :beforeId
     and id > :afterId
     and (cast(:action as text) is null or action = :action)
     and (cast(:actor as text) is null or actor_id = :actor
          or actor_id in (select m.id from members m where m.email = :actor collate nocase))
     and (cast(:target as text) is null or target = :target
          or replace(target || ' ', ' ' || :target || ' ', '') <> target || ' ')
     and at_ms >= coalesce(:fromMs, at_ms)
     and at_ms < coalesce(:toMs, at_ms + 1)
   order by id desc
   limit +:limit`),
    selectNth: one<PathParameters & { skipped: number }, { readonly id: number }>(`
  select id
    from audit_log
   where ${condition} id < :beforeId
   order by id desc
   limit 1 offset +:skipped`),
  };
}

const ALL = path("");
const OF_ORGANIZATION = path("organization_id = :organizationId and");

function pathOf(organizationId: string | null) {
  return organizationId === null ? ALL : OF_ORGANIZATION;
}

/** AuditStore.checkAudit. */
export const checkAudit = plainProcedure(
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
