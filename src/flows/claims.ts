// The body of a request as JSON, with what its Idempotency-Key claims, and the result of an earlier request with the same
// key. A short body is parsed at once; a long one in steps, with other requests served in between.
// @spec limits; docs/decisions/bodies.md
import { ApiError } from "../contract/errors.ts";
import { type Operation, ROUTE_OF } from "../contract/routes.ts";
import { assertSameRequest } from "../core/idempotency/verdict.ts";
import { canonicalJson } from "../core/idempotency/canonical-json.ts";
import { readIdempotencyKey } from "../core/idempotency/key.ts";
import { type JsonBody, readInSteps } from "../core/reading/json-body.ts";
import type { JsonObject } from "../base/json.ts";
import type { Caller } from "../ports/store/histories.ts";
import type { Claim, EarlierClaim } from "../ports/store/claims.ts";
import type { Services } from "../ports/services.ts";
import type { RequestContext } from "./request-context.ts";
import { yieldToEventLoop } from "./yield-to-event-loop.ts";

/** A body that has been read, with the claim of its request. */
export interface ClaimedBody {
  readonly fields: JsonObject;
  /** See {@link JsonBody}. */
  readonly bytesRead: number;
  /** Null without an Idempotency-Key. */
  readonly claim: Claim | null;
}

/** Bodies above this take long enough to hash that other requests are served afterwards. */
const LONG_BYTES = 1024 * 1024;
/** Each further attempt means that another request took or released the same calls between a read and a write. */
const ATTEMPTS_MAX = 10;
/** A plan that fails again, after a look for a concurrent request with the same key, has failed by itself. */
const FAILURES_MAX = 2;

/** Reads a request's body and its claim. Throws 400 for a body that is wrong as a whole and for a malformed key. */
export async function readClaimedBody(
  services: Pick<Services, "secrets">,
  context: RequestContext,
  shape: object,
): Promise<ClaimedBody> {
  return parseClaimedBody(services, context, await context.readBody(), shape);
}

/** Like readClaimedBody, for bytes that have been received. */
export async function parseClaimedBody(
  services: Pick<Services, "secrets">,
  context: RequestContext,
  bytes: Uint8Array,
  shape: object,
): Promise<ClaimedBody> {
  const body = await readBody(bytes, context.operation, shape);
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
  { store }: Pick<Services, "store">,
  caller: Caller,
  claim: Claim | null,
): Promise<EarlierClaim | null> {
  if (claim === null) return null;
  const { organizationId } = caller;
  const earlier = await store.findClaim({ organizationId, endpoint: claim.endpoint, key: claim.key });
  return earlier === null ? null : assertSameClaim(earlier, caller, claim);
}

/** The earlier claim, if it is of the same request; else throws 409. */
export function assertSameClaim(earlier: EarlierClaim, caller: Caller, claim: Claim | null): EarlierClaim {
  if (claim === null) throw new Error("a request without an Idempotency-Key met a claim");
  assertSameRequest(earlier, claim.fingerprint, caller.keyId);
  return earlier;
}

/**
 * The attempts of a request that plans what to store from what is stored:
 *
 *   begin ──▶ look for an earlier request ──none──▶ plan ──▶ store ──▶ done
 *     ▲                └──found──▶ replay it         │         │
 *     └──────────── failed, beside a key ────────────┘         │
 *     └──────────── the history has changed since the plan ────┘
 *
 * A plan may fail because a concurrent request with the same key has taken the calls: then this one is its retry, or is
 * planned once more if the other was withdrawn meanwhile.
 */
export class PlanAttempts {
  readonly #claim: Claim | null;
  #begun = 0;
  readonly #failures: unknown[] = [];

  /** `claim`: null without an Idempotency-Key. */
  constructor(claim: Claim | null) {
    this.#claim = claim;
  }

  /** Begins an attempt. Throws 503 `gateway_overloaded` after too many. */
  begin(): void {
    if (this.#begun++ < ATTEMPTS_MAX) return;
    throw new ApiError("gateway_overloaded", "The conversation is changing too quickly: try again.");
  }

  /** Called when there is no earlier request. Throws the error of the plan if that has failed too often. */
  assertMayPlan(): void {
    if (this.#failures.length === FAILURES_MAX) throw this.#failures.at(-1);
  }

  /** The plan; null when it failed beside a key, so that another attempt has to begin. Else rejects as the plan does. */
  async plan<Planned>(planning: Promise<Planned>): Promise<Planned | null> {
    try {
      return await planning;
    } catch (error) {
      if (this.#claim === null) throw error;
      this.#failures.push(error);
      return null;
    }
  }
}

/**
 * SHA-256 over the path ids and the canonical body; without a canonical body, over the bytes as sent (docs/wire.md,
 * Idempotency).
 */
function fingerprint(
  { secrets }: Pick<Services, "secrets">,
  { params }: RequestContext,
  body: JsonBody,
  bytes: Uint8Array,
): string {
  const canonical = body.canonicalText();
  if (canonical !== null) return secrets.fingerprint(`[${canonicalJson(params)},${canonical}]`);
  return secrets.fingerprint(canonicalJson([params, secrets.fingerprint(bytes)]));
}

/** Reads the body of an operation, whose shape says which members are read; other requests are served between the steps. */
async function readBody(bytes: Uint8Array, operation: Operation, shape: object): Promise<JsonBody> {
  const steps = readInSteps(bytes, ROUTE_OF[operation].body ?? "optional", shape);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await yieldToEventLoop();
  return step.value;
}
