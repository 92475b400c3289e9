// Creates and revokes management tokens. @spec authentication
import { readKeyName } from "../../core/access/account-fields.ts";
import type { MemberRole } from "../../contract/manage/roles.ts";
import { nowSeconds } from "../../ports/clock.ts";
import type { AdminContext } from "./admin-context.ts";

/** The owner of a token: the operator, or an organization together with a role. */
export type TokenHolder =
  | { readonly organizationId: null; readonly role: null }
  | { readonly organizationId: string; readonly role: MemberRole };

/** Creates a token; returns its id, its name and its secret, which is returned only here. */
export async function createToken(admin: AdminContext, holder: TokenHolder, givenName: string) {
  const { store, by, managementSecrets, mintAccountId } = admin;
  const name = readKeyName(givenName);
  const { secret, lookup, hash } = managementSecrets.mintToken();
  const id = mintAccountId("token");
  const token = { ...holder, id, name, createdAt: nowSeconds(admin.clock), revokedAt: null };
  await store.createToken({ by, token, secret: { lookup, hash } });
  return { id, name, secret };
}

/** Revokes a token, immediately and permanently. */
export async function revokeToken(admin: AdminContext, tokenId: string) {
  const { store, by } = admin;
  const { id, revokedAt } = await store.revokeToken({ by, tokenId, revokedAt: nowSeconds(admin.clock) });
  return { id, revoked_at: revokedAt };
}
