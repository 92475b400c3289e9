// API keys: made, rotated, revoked. @spec authentication
import { readKeyName } from "../../core/accounts/account-fields.ts";
import { type Grace, GRACE_SECONDS, type KeyPermission } from "../../contract/manage/keys.ts";
import type { ApiKey } from "../../ports/accounts.ts";
import { nowSeconds } from "../../ports/clock.ts";
import type { Desk } from "./desk.ts";

/** Makes a key; its secret is answered this once. */
export async function createKey(
  desk: Desk,
  create: { organizationId: string; memberId: string | null; name: string; permission: KeyPermission },
): Promise<{ key: ApiKey; secret: string }> {
  const { store, by, secrets, mintAccountId } = desk;
  const name = readKeyName(create.name);
  const { secret, lookup, hash } = secrets.mintApiKey();
  const id = mintAccountId("key");
  const key = await store.createKey({
    by,
    key: { ...create, id, name, createdAt: nowSeconds(desk.clock), revokedAt: null },
    secret: { lookup, hash },
  });
  return { key, secret };
}

/** Gives a key a new secret, answered this once; the old one stays valid for its grace. */
export async function rotateKey({ store, by, secrets }: Desk, keyId: string, grace: Grace) {
  const { secret, lookup, hash } = secrets.mintApiKey();
  const graceSeconds = GRACE_SECONDS[grace];
  const { key, oldSecretValidUntilMs } = await store.rotateKey({ by, keyId, secret: { lookup, hash }, graceSeconds });
  return { id: key.id, secret, old_secret_valid_until: Math.floor(oldSecretValidUntilMs / 1000) };
}

/** Ends a key, at once and for good. */
export async function revokeKey(desk: Desk, keyId: string) {
  const { store, by } = desk;
  const { id, revokedAt } = await store.revokeKey({ by, keyId, revokedAt: nowSeconds(desk.clock) });
  return { id, revoked_at: revokedAt };
}
