// Finds the API key that a request presents. @spec authentication
import { ApiError } from "../../contract/errors.ts";
import { readBearer } from "../../core/access/bearer.ts";
import { KEY_FORMAT } from "../../core/access/checked-secret.ts";
import type { FoundKey } from "../../ports/store/accounts.ts";
import { StoreError } from "../../ports/store/store.ts";
import type { Services } from "../../ports/services.ts";

/** What checking a key uses. */
export type KeyServices = Pick<Services, "store" | "secrets" | "log">;

/**
 * The key that a request presents, with its organization. `authorization` has every Authorization header as sent.
 * Throws 401 `invalid_api_key`, and 503 `auth_unavailable` while the store cannot be read.
 */
export async function authenticate(services: KeyServices, authorization: readonly string[]): Promise<FoundKey> {
  const presented = KEY_FORMAT.read(readBearer(authorization));
  // A bad checksum needs no store: a mistyped key is a 401 even when the store is down.
  if (presented === null) throw invalidKeyError();
  const found = await lookUpKey(services, presented.lookup);
  if (found === null || !services.secrets.matchesKeySecret(presented.secret, found.secretHash)) throw invalidKeyError();
  const renewed = services.secrets.renewKeyHash(presented.secret, found.secretHash);
  if (renewed !== null) {
    await tryRenewal(services, () => services.store.renewKeyHash({ lookup: presented.lookup, ...renewed }));
  }
  return found;
}

/**
 * Stores the new hash of a key or token while the root secret is being rotated. It is valid either way: if the store
 * fails, a later request tries again.
 */
export async function tryRenewal({ log }: Pick<Services, "log">, renew: () => Promise<void>): Promise<void> {
  try {
    await renew();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    log.warn("auth.hash_not_renewed", {}, error);
  }
}

async function lookUpKey(services: KeyServices, lookup: string): Promise<FoundKey | null> {
  try {
    return await services.store.findKey({ lookup });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    services.log.error("auth.unavailable", {}, error);
    throw new ApiError("auth_unavailable", "The API key cannot be checked right now: try again.", { cause: error });
  }
}

/** The 401 for a key that was revoked after it had been found. */
export function revokedKeyError(): ApiError {
  return new ApiError("invalid_api_key", "The API key is not valid: it was revoked.");
}

function invalidKeyError(): ApiError {
  return new ApiError("invalid_api_key", "The API key is not valid: it is unknown, mistyped, incomplete or revoked.");
}
