// Members of organizations and their sign-in links. @spec authentication
import { HOUR_MS } from "../../base/time.ts";
import { ApiError, invalidInput } from "../../contract/errors.ts";
import { SIGN_IN_LINK_HOURS } from "../../contract/manage/limits.ts";
import type { ManageRole, MemberRole } from "../../contract/manage/roles.ts";
import { emailOf, readEmail } from "../../core/access/account-fields.ts";
import { isEmergencyRole } from "../../core/access/single-sign-on.ts";
import { mayHandle } from "../../core/access/roles.ts";
import type { Member } from "../../ports/store/accounts.ts";
import { nowSeconds, secondsOf } from "../../ports/clock.ts";
import type { AdminContext } from "./admin-context.ts";

/** Finds a member by id or by e-mail address, ignoring case. */
export async function findMember(
  { store }: Pick<AdminContext, "store">,
  organizationId: string,
  idOrEmail: string,
): Promise<Member | null> {
  const members = await store.listMembers({ organizationId });
  const named = emailOf(idOrEmail);
  return members.find(({ id, email }) => id === idOrEmail || email === named) ?? null;
}

/** Adds a member. Only an owner or the operator may add an owner. */
export function addMember(
  admin: AdminContext,
  add: { organizationId: string; email: string; role: MemberRole },
): Promise<Member> {
  const { store, by, mintAccountId } = admin;
  assertMayHandle(admin.role, add.role);
  const email = readEmail(add.email);
  return store.addMember({ by, ...add, email, id: mintAccountId("member"), createdAt: nowSeconds(admin.clock) });
}

/** Removes a member and ends the member's sessions, and keys and tokens if wanted. The last owner cannot be removed. */
export async function removeMember(
  { store, by, role: own }: AdminContext,
  member: Member,
  ends: { readonly endsKeys: boolean; readonly endsTokens: boolean },
): Promise<void> {
  assertMayHandle(own, member.role);
  const { id, organizationId, role } = member;
  await store.removeMember({ by, organizationId, memberId: id, expectedRole: role, ...ends });
}

/** Changes a member's role. Only an owner may do that from or to `owner`, and the last owner stays one. */
export function setMemberRole({ store, by, role: own }: AdminContext, member: Member, role: MemberRole) {
  assertMayHandle(own, member.role);
  assertMayHandle(own, role);
  const { id, organizationId } = member;
  return store.setMemberRole({ by, organizationId, memberId: id, role, expectedRole: member.role });
}

/**
 * Creates a single-use link to set a password and sign in. Its holder acts as the member, so only an owner may create
 * one for an owner. Throws 400 `invalid_input` for other members where single sign-on is the only way in.
 */
export async function createSignInLink(
  { store, by, role, managementSecrets, manageOrigin, singleSignOn }: AdminContext,
  member: Member,
) {
  assertMayHandle(role, member.role);
  if (singleSignOn?.policy.isOnlyWay && !isEmergencyRole(member.role)) {
    throw invalidInput(null, `Only owners get sign-in links here; others sign in with ${singleSignOn.policy.name}.`);
  }
  const { secret, hash } = managementSecrets.mintSecret();
  const { expiresAtMs } = await store.setSignInLink({
    by,
    organizationId: member.organizationId,
    memberId: member.id,
    hash,
    lifetimeMs: SIGN_IN_LINK_HOURS * HOUR_MS,
    expectedRole: member.role,
  });
  // A browser does not send the part after #, so that no log on the way contains the secret.
  const url = `${manageOrigin}/sign-in#${secret}`;
  return { secret, url, expires_at: secondsOf(expiresAtMs) };
}

/** Throws 403 `access_denied` if a role may not manage members or tokens of another role. */
export function assertMayHandle(actingRole: ManageRole, other: MemberRole): void {
  if (mayHandle(actingRole, other)) return;
  throw new ApiError("access_denied", `Only an owner may manage the role ${other}.`);
}
