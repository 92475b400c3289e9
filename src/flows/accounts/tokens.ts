// Creates and revokes management tokens. @spec authentication
import { readKeyName } from "../../core/access/account-fields.ts";
import type { MemberRole } from "../../contract/manage/roles.ts";
import { nowSeconds } from "../../ports/clock.ts";
import type { AdminToken } from "../../ports/store/management.ts";
import type { AdminContext } from "./admin-context.ts";

/** The owner of a token: the operator, or an organization together with a role. */
export type TokenHolder =
  | { readonly organizationId: null; readonly role: null }
  | { readonly organizationId: string; readonly role: MemberRole };

/** Creates a token. The secret is returned only here. */
export async function createToken(
  admin: AdminContext,
  holder: TokenHolder,
  name: string,
): Promise<{ token: AdminToken; secret: string }> {
  const { store, by, managementSecrets, mintAccountId } = admin;
  const { secret, lookup, hash } = managementSecrets.mintToken();
  const token = await store.createToken({
    by,
    token: {
      id: mintAccountId("token"),
      ...holder,
      name: readKeyName(name),
      createdAt: nowSeconds(admin.clock),
      revokedAt: null,
    },
    secret: { lookup, hash },
  });
  return { token, secret };
}

/** Revokes a token, immediately and permanently. */
export async function revokeToken(admin: AdminContext, tokenId: string) {
  const { store, by } = admin;
  const { id, revokedAt } = await store.revokeToken({ by, tokenId, revokedAt: nowSeconds(admin.clock) });
  return { id, revoked_at: revokedAt };
}
