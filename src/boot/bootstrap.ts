// The first start: creates an organization that is served at once, and its first API key.
import { readKey } from "../core/access/key-format.ts";
import { NANO_PER_CREDIT } from "../core/money/credits.ts";
import type { Organization } from "../ports/store/accounts.ts";
import type { Actor } from "../ports/store/audit.ts";
import type { AdminContext } from "../flows/accounts/admin-context.ts";
import { createSignInLink } from "../flows/accounts/members.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { Store } from "../ports/store/store.ts";
import { mintAccountId } from "../system/ids.ts";
import { FIRST_ORGANIZATION, FIRST_OWNER } from "./first-organization.ts";
import type { LaterKeys } from "./greeting.ts";

/** The actor in the audit log. */
const FIRST_START: Actor = { kind: "service", id: "first start" };
const KEY_NAME = "first key";
/** The most changes of a first start: organization, plan with payment method, credits, owner, key. */
const CHANGES_MAX = 5;
const FIRST_CREDITS_NANO = 1_000_000n * NANO_PER_CREDIT;

/**
 * Creates the first organization, with a plan, a payment method, 1,000,000 credits, an owner and a key, if the store has none. The key has the
 * given secret, or a random one. Returns that secret, which is shown once; null on a later start. Completes an interrupted first
 * start, since its organization has no key yet.
 */
export async function bootstrap(
  store: Store,
  secrets: Secrets,
  given: { readonly apiKey: string | null; readonly nowSeconds: number },
): Promise<string | null> {
  const organization = await findUnfinished(store, given.nowSeconds);
  if (organization === null) return null;
  const organizationId = organization.id;
  await store.updateOrganization({ by: FIRST_START, organizationId, plan: true, paymentMethod: true });
  if (organization.creditsNano === 0n) {
    await store.addCredits({
      by: FIRST_START,
      transactionId: mintAccountId("transaction"),
      organizationId,
      amountNano: FIRST_CREDITS_NANO,
      createdAt: given.nowSeconds,
    });
  }
  const memberId = await findOwner(store, organizationId, given.nowSeconds);
  return createFirstKey(store, secrets, { organizationId, memberId, ...given });
}

/** Creates the link with which the owner of the first organization signs in to the management app, once. */
export async function createFirstLink(admin: Omit<AdminContext, "by" | "role">): Promise<string | null> {
  const [organization] = await admin.store.listOrganizations();
  if (organization === undefined) return null;
  const members = await admin.store.listMembers({ organizationId: organization.id });
  const owner = members.find(({ role }) => role === "owner");
  if (owner === undefined) return null;
  return (await createSignInLink({ ...admin, by: FIRST_START, role: "operator" }, owner)).url;
}

/** The facts about keys that a later start prints; `apiKey` is the one of the environment. */
export async function lookAtKeys(store: Store, secrets: Secrets, apiKey: string | null): Promise<LaterKeys> {
  const organizations = (await store.listOrganizations()).map(({ name }) => name);
  const given = apiKey === null ? null : readKey(apiKey);
  if (given === null) return { organizations, given };
  const found = await store.findKey({ lookup: given.lookup });
  const isKnown = found !== null && secrets.matchesKeySecret(given.secret, found.secretHash);
  return { organizations, given: isKnown ? "known" : "unknown" };
}

/**
 * The first organization, new or left without a key by an interrupted first start. Null if there are others, if it has a key, or if an operator
 * created or changed it: then it belongs to the operator, whatever its name.
 */
async function findUnfinished(store: Store, nowSeconds: number): Promise<Organization | null> {
  const [first, ...others] = await store.listOrganizations();
  if (first === undefined) {
    return store.createOrganization({
      by: FIRST_START,
      id: mintAccountId("organization"),
      name: FIRST_ORGANIZATION,
      createdAt: nowSeconds,
    });
  }
  if (others.length > 0 || first.name !== FIRST_ORGANIZATION) return null;
  const keys = await store.listKeys({ organizationId: first.id });
  if (keys.length > 0) return null;
  const changes = await store.listAudit({ organizationId: first.id, before: null, limit: CHANGES_MAX + 1 });
  const isOwn = changes.length <= CHANGES_MAX && changes.every(({ by }) => by.id === FIRST_START.id);
  return isOwn ? first : null;
}

async function findOwner(store: Store, organizationId: string, nowSeconds: number): Promise<string> {
  const [owner] = await store.listMembers({ organizationId });
  if (owner !== undefined) return owner.id;
  const id = mintAccountId("member");
  await store.addMember({
    by: FIRST_START,
    id,
    organizationId,
    email: FIRST_OWNER,
    role: "owner",
    createdAt: nowSeconds,
  });
  return id;
}

async function createFirstKey(
  store: Store,
  secrets: Secrets,
  of: { organizationId: string; memberId: string; apiKey: string | null; nowSeconds: number },
): Promise<string> {
  const given = of.apiKey === null ? null : readKey(of.apiKey);
  const { secret, lookup } = given ?? secrets.mintApiKey();
  await store.createKey({
    by: FIRST_START,
    key: {
      id: mintAccountId("key"),
      organizationId: of.organizationId,
      memberId: of.memberId,
      name: KEY_NAME,
      permission: "all",
      createdAt: of.nowSeconds,
      revokedAt: null,
    },
    secret: { lookup, hash: secrets.hashKeySecret(secret) },
  });
  return secret;
}
