// Deletes organizations: credentials, budgets and everything that names people at once. The rest is erased in pieces.
// Each piece finds in the store what is left, so a process that dies leaves nothing to repair.
import {
  AccountError,
  type AccountStore,
  type ErasureState,
  NO_POLICY,
  type Organization,
} from "../../ports/store/accounts.ts";
import { NO_LIMITS } from "../../ports/store/limits.ts";
import { record } from "./audit.ts";
import { plainProcedure, decodedProcedure } from "../engine/procedure.ts";
import { change, many, write } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { deleteEventsOf } from "../events/feed.ts";
import { deleteRejectionsOf } from "../events/rejections.ts";
import { deleteClaimsOf } from "../histories/claims.ts";
import { eraseHistory, isFull, type Piece, PIECE_BYTES, takeRows } from "../histories/erase-history.ts";
import { getAnyOrganization, lockOrganization } from "./organizations.ts";
import { redactEntries } from "./redaction.ts";
import { lockBalance } from "../money/ledger.ts";
import {
  decodeOrganization,
  ORGANIZATION_COLUMNS,
  ORGANIZATION_TABLES,
  type OrganizationRow,
} from "./organization-row.ts";

type Erasure = Parameters<AccountStore["eraseOrganization"]>[0];

/** AccountStore.eraseOrganization. */
export const eraseOrganization = plainProcedure("write", function* (tx, erasure: Erasure, nowMs): Steps<{
  erased: number;
  state: ErasureState;
}> {
  const { by, organizationId, batch } = erasure;
  const { deletedAtMs, erasedAtMs } = yield* getAnyOrganization(tx, organizationId);
  if (deletedAtMs === null) throw new AccountError(`The organization ${organizationId} is not deleted.`);
  const bounds = { rows: batch, bytes: PIECE_BYTES };
  const marked = takeRows(bounds, (yield* deleteHistories(tx, { organizationId, nowMs, limit: batch })).changes);
  const piece = yield* eraseHistories(tx, { organizationId }, marked);
  let left = piece.rows;
  left -= (yield* deleteClaimsOf(tx, { organizationId, limit: left })).changes;
  left -= (yield* deleteEventsOf(tx, { organizationId, limit: left })).changes;
  left -= (yield* deleteRejectionsOf(tx, { organizationId, limit: left })).changes;
  left -= yield* redactEntries(tx, { by, organizationId, nowMs, limit: left });
  const erased = batch - left;
  if (left <= 0 || isFull(piece)) return { erased, state: "more" };
  if ((yield* selectPending(tx, { organizationId, limit: 1 })).length > 0) return { erased, state: "waiting" };
  // Another process may have come to the end at the same moment.
  if (erasedAtMs === null && (yield* updateErased(tx, { organizationId, nowMs })).changes === 1) {
    yield* record(tx, { by, atMs: nowMs, organizationId, action: "organization.erase", target: null });
  }
  return { erased, state: "done" };
});

function* eraseHistories(tx: Transaction, of: { organizationId: string }, piece: Piece): Steps<Piece> {
  let left = piece;
  for (const { id } of yield* selectPending(tx, { ...of, limit: piece.rows })) {
    if (isFull(left)) break;
    left = yield* eraseHistory(tx, { id }, left);
  }
  return left;
}

/**
 * Deletes histories as the end of their retention does (histories/retention.ts). A response that runs in one stores its
 * billing record alone.
 */
const deleteHistories = change<{ organizationId: string; nowMs: number; limit: number }>(`
  update threads
     set deleted_at_ms = coalesce(deleted_at_ms, :nowMs),
         metadata      = coalesce(metadata, '{}'),
         retained      = 0
   where id in (select id
                  from threads
                 where organization_id = :organizationId
                   and root_id is null
                   and retained = 1
                 order by id
                 limit +:limit)`);

/** Deleted histories that may still have content. The index holds these alone, of all organizations. */
const selectPending = many<{ organizationId: string; limit: number }, { id: number }>(`
  select id
    from threads
   where retained = 0
     and metadata is not null
     and organization_id = :organizationId
   order by id
   limit +:limit`);

const updateErased = change<{ organizationId: string; nowMs: number }>(`
  update organizations
     set erased_at_ms = :nowMs
   where id = :organizationId
     and erased_at_ms is null`);

type Deletion = Parameters<AccountStore["deleteOrganization"]>[0];

/** AccountStore.deleteOrganization. */
export const deleteOrganization = plainProcedure(
  "write",
  function* (tx, { by, organizationId }: Deletion, nowMs): Steps<Organization> {
    const of = { organizationId };
    yield* lockBalance(tx, of);
    yield* lockOrganization(tx, of);
    const organization = yield* getAnyOrganization(tx, organizationId);
    if (organization.deletedAtMs !== null) return organization;
    yield* updateDeleted(tx, {
      ...of,
      nowMs,
      policy: JSON.stringify(NO_POLICY),
      limits: JSON.stringify(NO_LIMITS),
    });
    // The keys first, because this waits for a rotation under way: its new secret is deleted then, too.
    yield* revokeKeys(tx, { ...of, revokedAt: Math.floor(nowMs / 1000) });
    yield* deleteSecrets(tx, of);
    yield* deleteTokens(tx, of);
    yield* deleteBudgets(tx, of);
    yield* deleteMembers(tx, of);
    yield* record(tx, { by, atMs: nowMs, organizationId, action: "organization.delete", target: null });
    return yield* getAnyOrganization(tx, organizationId);
  },
);

/** AccountStore.listDeletedOrganizations. */
export const listDeletedOrganizations = decodedProcedure(
  "point",
  (tx, { onlyUnerased }: { onlyUnerased: boolean }) => (onlyUnerased ? selectUnerased : selectDeleted)(tx, {}),
  (rows) => rows.map(decodeOrganization),
);

const DELETED = `
  select ${ORGANIZATION_COLUMNS}
    from ${ORGANIZATION_TABLES}
   where o.deleted_at_ms is not null`;

const selectDeleted = many<Record<never, never>, OrganizationRow>(`${DELETED}
   order by o.deleted_at_ms, o.rowid`);

const selectUnerased = many<Record<never, never>, OrganizationRow>(`${DELETED}
     and o.erased_at_ms is null
   order by o.deleted_at_ms, o.rowid`);

/** The name is free for another organization then. */
const updateDeleted = write<{ organizationId: string; nowMs: number; policy: string; limits: string }>(`
  update organizations
     set name           = id,
         plan           = 0,
         payment_method = 0,
         suspended      = 1,
         retention_days = null,
         policy         = :policy,
         limits         = :limits,
         rules          = null,
         deleted_at_ms  = :nowMs
   where id = :organizationId`);

/** Their rows stay: usage refers to them. */
const revokeKeys = write<{ organizationId: string; revokedAt: number }>(`
  update api_keys
     set name       = id,
         revoked_at = coalesce(revoked_at, :revokedAt)
   where organization_id = :organizationId`);

const deleteSecrets = write<{ organizationId: string }>(`
  delete from key_secrets
   where key_id in (select id from api_keys where organization_id = :organizationId)`);

const deleteTokens = write<{ organizationId: string }>(`
  delete from admin_tokens where organization_id = :organizationId`);

const deleteBudgets = write<{ organizationId: string }>(`
  delete from budgets where organization_id = :organizationId`);

/** With their passwords, links, sessions and identities. */
const deleteMembers = write<{ organizationId: string }>(`
  delete from members where organization_id = :organizationId`);
