// Idempotency keys: what a request claims, and the result of an earlier request with the same key. @spec limits
import { assertSameRequest } from "../core/idempotency/verdict.ts";
import { canonicalJson } from "../core/idempotency/canonical-json.ts";
import { readIdempotencyKey } from "../core/idempotency/key.ts";
import type { JsonBody } from "../core/reading/json-body.ts";
import type { Selection } from "../core/reading/scan/selection.ts";
import type { JsonObject } from "../base/json.ts";
import type { Caller } from "../ports/store/histories.ts";
import type { Claim, EarlierClaim } from "../ports/store/claims.ts";
import type { Services } from "../ports/services.ts";
import type { RequestContext } from "./request-context.ts";
import { readBody } from "./read-body.ts";
import { yieldToEventLoop } from "./yield-to-event-loop.ts";

/** A body that has been read, with the claim of its request. */
export interface ClaimedBody {
  readonly fields: JsonObject;
  /** Bytes of the body that became values. */
  readonly bytesRead: number;
  /** Null without an Idempotency-Key. */
  readonly claim: Claim | null;
}

/** Bodies above this take long enough to hash that other requests are served afterwards. */
const LONG_BYTES = 1024 * 1024;

/** Reads a request's body and its claim. Throws 400 for a body that is wrong as a whole and for a malformed key. */
export async function readClaimedBody(
  services: Services,
  context: RequestContext,
  selection: Selection,
): Promise<ClaimedBody> {
  return parseClaimedBody(services, context, await context.readBody(), selection);
}

/** Like readClaimedBody, for bytes that have been received. */
export async function parseClaimedBody(
  services: Services,
  context: RequestContext,
  bytes: Uint8Array,
  selection: Selection,
): Promise<ClaimedBody> {
  const body = await readBody(bytes, context.operation, selection);
  const { fields, bytesRead } = body;
  const key = readIdempotencyKey(context.idempotencyKeys);
  if (key === null) return { fields, bytesRead, claim: null };
  const claim = { endpoint: context.operation, key, fingerprint: fingerprint(services, context, body, bytes) };
  if (bytes.length > LONG_BYTES) await yieldToEventLoop();
  return { fields, bytesRead, claim };
}

/**
 * The result of an earlier request with this claim's key; null when the key is free. Throws 409 unless it was the same
 * request.
 */
export async function findEarlierRequest(
  services: Services,
  caller: Caller,
  claim: Claim | null,
): Promise<EarlierClaim | null> {
  if (claim === null) return null;
  const { organizationId } = caller;
  const earlier = await services.store.findClaim({ organizationId, endpoint: claim.endpoint, key: claim.key });
  return earlier === null ? null : assertSameClaim(earlier, caller, claim);
}

/** The earlier claim, if it is of the same request; else throws 409. */
export function assertSameClaim(earlier: EarlierClaim, caller: Caller, claim: Claim | null): EarlierClaim {
  if (claim === null) throw new Error("a request without an Idempotency-Key met a claim");
  assertSameRequest(earlier, claim.fingerprint, caller.keyId);
  return earlier;
}

/**
 * SHA-256 over the path ids and the canonical body; without a canonical body, over the bytes as sent (docs/wire.md,
 * Idempotency).
 */
function fingerprint({ secrets }: Services, { params }: RequestContext, body: JsonBody, bytes: Uint8Array): string {
  const canonical = body.canonicalText();
  if (canonical !== null) return secrets.fingerprint(`[${canonicalJson(params)},${canonical}]`);
  return secrets.fingerprint(canonicalJson([params, secrets.fingerprint(bytes)]));
}
