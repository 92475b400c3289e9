// Creates, rotates and revokes API keys. @spec authentication
import { readKeyName } from "../../core/access/account-fields.ts";
import { type Grace, GRACE_SECONDS } from "../../contract/manage/key-options.ts";
import type { ApiKey } from "../../ports/store/accounts.ts";
import { nowSeconds, secondsOf } from "../../ports/clock.ts";
import type { AdminContext } from "./admin-context.ts";

/** Creates a key; returns its id, its name and its secret, which is returned only here. */
export async function createKey(
  admin: AdminContext,
  create: Pick<ApiKey, "organizationId" | "memberId" | "name" | "permission" | "unansweredCalls">,
) {
  const { store, by, secrets, mintAccountId } = admin;
  const name = readKeyName(create.name);
  const { secret, lookup, hash } = secrets.mintApiKey();
  const id = mintAccountId("key");
  const key = { ...create, id, name, createdAt: nowSeconds(admin.clock), revokedAt: null };
  await store.createKey({ by, key, secret: { lookup, hash } });
  return { id, name, secret };
}

/** Gives a key a new secret, returned only here. The old one stays valid for the grace period. */
export async function rotateKey({ store, by, secrets }: AdminContext, keyId: string, grace: Grace) {
  const { secret, lookup, hash } = secrets.mintApiKey();
  const graceSeconds = GRACE_SECONDS[grace];
  const { key, oldSecretValidUntilMs } = await store.rotateKey({ by, keyId, secret: { lookup, hash }, graceSeconds });
  return { id: key.id, secret, old_secret_valid_until: secondsOf(oldSecretValidUntilMs) };
}

/** Revokes a key, immediately and permanently. */
export async function revokeKey(admin: AdminContext, keyId: string) {
  const { store, by } = admin;
  const { id, revokedAt } = await store.revokeKey({ by, keyId, revokedAt: nowSeconds(admin.clock) });
  return { id, revoked_at: revokedAt };
}
