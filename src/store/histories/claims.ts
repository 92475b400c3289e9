// Idempotency keys and the results of the requests that brought them. @spec limits
import type { ConversationId, ItemId, ResponseId } from "../../contract/ids.ts";
import type { Caller } from "../../ports/store/histories.ts";
import type { Claim, EarlierClaim, ClaimResult } from "../../ports/store/claims.ts";
import { StoreError } from "../../ports/store/store.ts";
import { parseStored } from "../engine/stored-json.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { change, insert, lock, one, write } from "../engine/statement.ts";

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

/** ResponseStore.findClaim. */
export const findClaim = plainProcedure(
  "point",
  function* (tx, query: { organizationId: string; endpoint: string; key: string }, nowMs): Steps<EarlierClaim | null> {
    const row = yield* selectClaim(tx, query);
    return row === undefined || isExpired(tx, row, nowMs) ? null : decodeClaim(row);
  },
);

/**
 * Claims a key, if the request brought one, in the transaction that creates the result. Returns the earlier claim if
 * there is one: the caller then stores nothing. An expired claim is replaced.
 */
export function* claimKey(
  tx: Transaction,
  claim: Claim | null,
  by: { caller: Caller; nowMs: number },
  result: ClaimResult,
): Steps<
  | { readonly kind: "claimed"; readonly earlier: EarlierClaim }
  | { readonly kind: "free"; readonly claimId: number | null }
> {
  if (claim === null) return { kind: "free", claimId: null };
  const { caller, nowMs } = by;
  const { organizationId, keyId } = caller;
  const { endpoint, key, fingerprint } = claim;
  yield* lockClaim(tx, { organizationId, endpoint, key });
  const earlier = yield* selectClaim(tx, { organizationId, endpoint, key });
  if (earlier !== undefined) {
    if (!isExpired(tx, earlier, nowMs)) return { kind: "claimed", earlier: decodeClaim(earlier) };
    yield* deleteClaim(tx, { id: earlier.id });
  }
  const { changes, id } = yield* insertClaim(tx, {
    organizationId,
    endpoint,
    key,
    fingerprint,
    keyId,
    claimedAtMs: nowMs,
    madeKind: result.kind,
    madeId: result.kind === "response" ? result.responseId : result.conversationId,
    streamed: result.kind === "response" ? Number(result.streamed) : null,
    itemIds: result.kind === "items" ? JSON.stringify(result.itemIds) : null,
  });
  if (changes === 1) return { kind: "free", claimId: id };
  // Another transaction claimed it after this one looked.
  const other = yield* selectClaim(tx, { organizationId, endpoint, key });
  // And has freed it since.
  if (other === undefined) return yield* claimKey(tx, claim, by, result);
  return { kind: "claimed", earlier: decodeClaim(other) };
}

/**
 * Frees the key of a response that is withdrawn. The response id guards against another claim that has reused
 * the rowid of an expired one.
 */
export const freeKey = write<{ claimId: number; responseId: string }>(`
  delete from claims
   where id = :claimId
     and made_id = :responseId`);

/** The claim of a response; the response id guards as above. */
export const selectClaimOf = one<{ claimId: number; responseId: string }, { readonly claimedAtMs: number }>(`
  select claimed_at_ms as claimedAtMs
    from claims
   where id = :claimId
     and made_id = :responseId`);

/** Keeps calls of the same transaction from claiming a key that is not free yet; the unique key keeps others. */
const lockClaim = lock<{ organizationId: string; endpoint: string; key: string }>(`
  select id
    from claims
   where organization_id = :organizationId
     and endpoint = :endpoint
     and key = :key`);

const deleteClaim = write<{ id: number }>(`
  delete from claims where id = :id`);

/** Deletes up to `limit` keys claimed before a time. */
export const deleteClaimsBefore = change<{ beforeMs: number; limit: number }>(`
  delete from claims
   where id in (select id from claims where claimed_at_ms <= :beforeMs order by claimed_at_ms limit +:limit)`);

/** Deletes up to `limit` keys of an organization. */
export const deleteClaimsOf = change<{ organizationId: string; limit: number }>(`
  delete from claims
   where id in (select id from claims where organization_id = :organizationId limit +:limit)`);

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

const insertClaim = insert<{
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
  values (:organizationId, :endpoint, :key, :fingerprint, :keyId, :claimedAtMs, :madeKind, :madeId, :streamed, :itemIds)
  on conflict do nothing`);

function isExpired(tx: Transaction, row: ClaimRow, nowMs: number): boolean {
  return row.claimedAtMs + tx.settings.idempotencyRetentionMs <= nowMs;
}

function decodeClaim(row: ClaimRow): EarlierClaim {
  const { fingerprint, keyId, claimedAtMs } = row;
  return { fingerprint, keyId, claimedAtMs, result: decodeResult(row) };
}

function decodeResult({ madeKind, madeId, streamed, itemIds }: ClaimRow): ClaimResult {
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
      throw new StoreError("failed", `An idempotency key has a result of an unknown kind: ${madeKind}.`);
  }
}
