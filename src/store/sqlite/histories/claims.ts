// Idempotency keys and what was made with them. @spec limits
import type { ConversationId, ItemId, ResponseId } from "../../../contract/ids.ts";
import type { Caller } from "../../../ports/histories.ts";
import type { Claim, Claimed, Made } from "../../../ports/claims.ts";
import { StoreError } from "../../../ports/store.ts";
import { parseStored } from "../database/stored-json.ts";
import type { Connection } from "../database/connection.ts";
import { plain } from "../database/operation.ts";
import { change, one } from "../database/statement.ts";

interface ClaimRow {
  readonly id: number;
  readonly fingerprint: string;
  readonly keyId: string;
  readonly claimedAtMs: number;
  readonly madeKind: string;
  readonly madeId: string;
  readonly streamed: number | null;
  readonly itemIds: string | null;
}

/** TurnStore.findClaim. */
export const findClaim = plain(
  "point",
  (connection, query: { organizationId: string; endpoint: string; key: string }, nowMs): Claimed | null => {
    const row = selectClaim(connection, query);
    return row === undefined || isExpired(connection, row, nowMs) ? null : decodeClaim(row);
  },
);

/**
 * Claims a key, when the request brought one, for what is about to be made, in the transaction that makes it. Answers the earlier
 * claim when there is one: the caller then makes nothing. An expired one gives way.
 */
export function claimKey(
  connection: Connection,
  claim: Claim | null,
  by: { caller: Caller; nowMs: number },
  made: Made,
):
  | { readonly kind: "claimed"; readonly claimed: Claimed }
  | { readonly kind: "free"; readonly claimId: number | null } {
  if (claim === null) return { kind: "free", claimId: null };
  const { caller, nowMs } = by;
  const { organizationId, keyId } = caller;
  const { endpoint, key, fingerprint } = claim;
  const earlier = selectClaim(connection, { organizationId, endpoint, key });
  if (earlier !== undefined) {
    if (!isExpired(connection, earlier, nowMs)) return { kind: "claimed", claimed: decodeClaim(earlier) };
    deleteClaim(connection, { id: earlier.id });
  }
  const { id } = insertClaim(connection, {
    organizationId,
    endpoint,
    key,
    fingerprint,
    keyId,
    claimedAtMs: nowMs,
    madeKind: made.kind,
    madeId: made.kind === "response" ? made.responseId : made.conversationId,
    streamed: made.kind === "response" ? Number(made.streamed) : null,
    itemIds: made.kind === "items" ? JSON.stringify(made.itemIds) : null,
  });
  return { kind: "free", claimId: id };
}

/** Frees the key that a response was made with, now taken back. Another's claim may have the rowid of one that expired. */
export const freeKey = change<{ claimId: number; responseId: string }>(`
  delete from claims
   where id = :claimId
     and made_id = :responseId`);

const deleteClaim = change<{ id: number }>(`
  delete from claims where id = :id`);

/** Forgets up to `limit` keys claimed before then. */
export const deleteClaimsBefore = change<{ beforeMs: number; limit: number }>(`
  delete from claims
   where id in (select id from claims where claimed_at_ms <= :beforeMs order by claimed_at_ms limit +:limit)`);

const selectClaim = one<{ organizationId: string; endpoint: string; key: string }, ClaimRow>(`
  select id,
         fingerprint,
         key_id        as keyId,
         claimed_at_ms as claimedAtMs,
         made_kind     as madeKind,
         made_id       as madeId,
         streamed,
         item_ids      as itemIds
    from claims
   where organization_id = :organizationId
     and endpoint = :endpoint
     and key = :key`);

const insertClaim = change<{
  organizationId: string;
  endpoint: string;
  key: string;
  fingerprint: string;
  keyId: string;
  claimedAtMs: number;
  madeKind: string;
  madeId: string;
  streamed: number | null;
  itemIds: string | null;
}>(`
  insert into claims (organization_id, endpoint, key, fingerprint, key_id, claimed_at_ms, made_kind, made_id, streamed, item_ids)
  values (:organizationId, :endpoint, :key, :fingerprint, :keyId, :claimedAtMs, :madeKind, :madeId, :streamed, :itemIds)`);

function isExpired(connection: Connection, row: ClaimRow, nowMs: number): boolean {
  return row.claimedAtMs + connection.settings.idempotencyRetentionMs <= nowMs;
}

function decodeClaim(row: ClaimRow): Claimed {
  const { fingerprint, keyId, claimedAtMs } = row;
  return { fingerprint, keyId, claimedAtMs, made: decodeMade(row) };
}

function decodeMade({ madeKind, madeId, streamed, itemIds }: ClaimRow): Made {
  switch (madeKind) {
    case "response":
      return { kind: "response", responseId: madeId as ResponseId, streamed: streamed === 1 };
    case "conversation":
      return { kind: "conversation", conversationId: madeId as ConversationId };
    case "items": {
      const ids = parseStored<ItemId[]>(itemIds ?? "[]", "idempotency key");
      return { kind: "items", conversationId: madeId as ConversationId, itemIds: ids };
    }
    default:
      throw new StoreError("failed", `An idempotency key stands for an unknown kind of thing: ${madeKind}.`);
  }
}
