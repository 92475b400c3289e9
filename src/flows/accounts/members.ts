// Members of organizations, and the links by which they set a password. @spec authentication
import { Refusal } from "../../contract/errors.ts";
import { SIGN_IN_LINK_HOURS } from "../../contract/manage/limits.ts";
import type { ManageRole, MemberRole } from "../../contract/manage/roles.ts";
import { readEmail } from "../../core/accounts/account-fields.ts";
import { mayHandle } from "../../core/accounts/roles.ts";
import type { Member } from "../../ports/accounts.ts";
import { nowSeconds } from "../../ports/clock.ts";
import type { Desk } from "./desk.ts";

const HOUR_MS = 3_600_000;

/** The member of that id or e-mail address, in any letter case; null when the organization has none. */
export async function findMember(
  { store }: Pick<Desk, "store">,
  organizationId: string,
  idOrEmail: string,
): Promise<Member | null> {
  const members = await store.listMembers({ organizationId });
  const wanted = idOrEmail.toLowerCase();
  return members.find(({ id, email }) => id === idOrEmail || email.toLowerCase() === wanted) ?? null;
}

/** Adds a person. Only an owner (or the operator) adds an owner: `asker` is the role of who asks. */
export function addMember(
  desk: Desk,
  asker: ManageRole,
  add: { organizationId: string; email: string; role: MemberRole },
): Promise<Member> {
  const { store, by, mintAccountId } = desk;
  refuseHandling(asker, add.role);
  const email = readEmail(add.email);
  return store.addMember({ by, ...add, email, id: mintAccountId("member"), createdAt: nowSeconds(desk.clock) });
}

/** Takes a person out, who is signed out everywhere. The last owner stays. */
export async function removeMember({ store, by }: Desk, asker: ManageRole, member: Member): Promise<void> {
  refuseHandling(asker, member.role);
  const { id, organizationId, role } = member;
  await store.removeMember({ by, organizationId, memberId: id, expectedRole: role });
}

/** Gives a person another role. Only an owner makes or unmakes owners; the last owner stays one. */
export function setMemberRole({ store, by }: Desk, asker: ManageRole, member: Member, role: MemberRole) {
  refuseHandling(asker, member.role);
  refuseHandling(asker, role);
  const { id, organizationId } = member;
  return store.setMemberRole({ by, organizationId, memberId: id, role, expectedRole: member.role });
}

/** A link by which a person sets a password and signs in; good once. Who holds it is that person: for an owner's, an owner must ask. */
export async function createSignInLink(
  { store, by, managementSecrets, manageUrl }: Desk,
  asker: ManageRole,
  member: Member,
): Promise<{ secret: string; url: string; expiresAt: number }> {
  refuseHandling(asker, member.role);
  const { secret, hash } = managementSecrets.mintSecret();
  const { expiresAtMs } = await store.setSignInLink({
    by,
    organizationId: member.organizationId,
    memberId: member.id,
    hash,
    lifetimeMs: SIGN_IN_LINK_HOURS * HOUR_MS,
    expectedRole: member.role,
  });
  // Behind the # it is never sent to a server, so that no log on the way holds it.
  return { secret, url: `${manageUrl}/sign-in#${secret}`, expiresAt: Math.floor(expiresAtMs / 1000) };
}

/** Refuses 403 `access_denied` what only owners may do. */
export function refuseHandling(asker: ManageRole, other: MemberRole): void {
  if (mayHandle(asker, other)) return;
  throw new Refusal("access_denied", `Only an owner decides about the role ${other}.`);
}
