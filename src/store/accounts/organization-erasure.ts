// Erases what is left of a deleted organization, in pieces. Each piece finds in the store what is left, so a process
// that dies leaves nothing to repair.
import { AccountError, type AccountStore, type ErasureState } from "../../ports/store/accounts.ts";
import { record } from "./audit.ts";
import { plainOperation } from "../engine/operation.ts";
import { change, many } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { deleteEventsOf } from "../events/feed.ts";
import { deleteRejectionsOf } from "../events/rejections.ts";
import { deleteClaimsOf } from "../histories/claims.ts";
import { eraseHistory, isFull, type Piece, PIECE_BYTES, takeRows } from "../histories/erase-history.ts";
import { getAnyOrganization } from "./organizations.ts";
import { redactEntries } from "./redaction.ts";

type Erasure = Parameters<AccountStore["eraseOrganization"]>[0];

/** AccountStore.eraseOrganization. */
export const eraseOrganization = plainOperation("write", function* (tx, erasure: Erasure, nowMs): Steps<{
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
 * Deletes histories as the end of their retention does (histories/retention.ts). A turn that runs in one stores its
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
