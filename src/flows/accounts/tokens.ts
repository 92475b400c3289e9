// Tokens of programs that manage: made, revoked. @spec authentication
import { readKeyName } from "../../core/accounts/account-fields.ts";
import type { MemberRole } from "../../contract/manage/roles.ts";
import { nowSeconds } from "../../ports/clock.ts";
import type { AdminToken } from "../../ports/management.ts";
import type { Desk } from "./desk.ts";

/** Whose a token is: the operator's, or an organization's with the role of one of its members. */
export type TokenHolder =
  | { readonly organizationId: null; readonly role: null }
  | { readonly organizationId: string; readonly role: MemberRole };

/** Makes a token; its secret is answered this once. */
export async function createToken(
  desk: Desk,
  holder: TokenHolder,
  name: string,
): Promise<{ token: AdminToken; secret: string }> {
  const { store, by, managementSecrets, mintAccountId } = desk;
  const { secret, lookup, hash } = managementSecrets.mintToken();
  const token = await store.createToken({
    by,
    token: {
      id: mintAccountId("token"),
      ...holder,
      name: readKeyName(name),
      createdAt: nowSeconds(desk.clock),
      revokedAt: null,
    },
    secret: { lookup, hash },
  });
  return { token, secret };
}

/** Ends a token, at once and for good. */
export async function revokeToken(desk: Desk, tokenId: string) {
  const { store, by } = desk;
  const { id, revokedAt } = await store.revokeToken({ by, tokenId, revokedAt: nowSeconds(desk.clock) });
  return { id, revoked_at: revokedAt };
}
