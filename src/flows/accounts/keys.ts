// Creates and revokes API keys. @spec authentication
import { readKeyName } from "../../core/access/account-fields.ts";
import type { ApiKey } from "../../ports/store/accounts.ts";
import { nowSeconds } from "../../ports/clock.ts";
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

/** Revokes a key, immediately and permanently. */
export async function revokeKey(admin: AdminContext, keyId: string) {
  const { store, by } = admin;
  const { id, revokedAt } = await store.revokeKey({ by, keyId, revokedAt: nowSeconds(admin.clock) });
  return { id, revoked_at: revokedAt };
}
