// Idempotency keys around any work: what a request claims, and what a claim that exists already means. @spec limits
import { checkSameRequest } from "../core/accounts/replay.ts";
import { canonicalJson } from "../core/reading/canonical-json.ts";
import { readIdempotencyKey } from "../core/reading/idempotency-key.ts";
import type { JsonObject } from "../core/reading/json-body.ts";
import type { Caller } from "../ports/histories.ts";
import type { Claim, Claimed } from "../ports/claims.ts";
import type { World } from "../ports/world.ts";
import type { Exchange } from "./exchange.ts";

/** The claim that a request makes, or null without an Idempotency-Key. Refuses 400 a malformed key. */
export function readClaim(world: World, exchange: Exchange, body: JsonObject): Claim | null {
  const key = readIdempotencyKey(exchange.idempotencyKeys);
  if (key === null) return null;
  return { endpoint: exchange.operation, key, fingerprint: fingerprint(world, exchange, body) };
}

/** What an earlier request with this claim's key made, if it was the same request; null when the key is free. Refuses 409. */
export async function findEarlier(world: World, caller: Caller, claim: Claim | null): Promise<Claimed | null> {
  if (claim === null) return null;
  const { organizationId } = caller;
  const claimed = await world.store.findClaim({ organizationId, endpoint: claim.endpoint, key: claim.key });
  return claimed === null ? null : checkTwin(claimed, caller, claim);
}

/** What somebody claimed with this claim's key, if by the same request: else refuses 409. */
export function checkTwin(claimed: Claimed, caller: Caller, claim: Claim | null): Claimed {
  if (claim === null) throw new Error("a request without an Idempotency-Key met a claim");
  checkSameRequest(claimed, claim.fingerprint, caller.keyId);
  return claimed;
}

/** SHA-256 over the canonical body and the path ids (docs/wire.md, rule 10). */
function fingerprint(world: World, exchange: Exchange, body: JsonObject): string {
  return world.secrets.fingerprint(canonicalJson([exchange.params, body]));
}
