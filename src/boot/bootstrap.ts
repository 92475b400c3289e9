// The first start: an organization that is served at once, and its first API key.
import { readKey } from "../core/accounts/keys.ts";
import { NANO_PER_CREDIT } from "../core/accounts/credits.ts";
import type { Organization } from "../ports/accounts.ts";
import type { Actor } from "../ports/audit.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { Store } from "../ports/store.ts";
import { mintAccountId } from "../system/ids.ts";

const ORGANIZATION_NAME = "default";
const OWNER_EMAIL = "owner@localhost";
/** Who makes all this, for the audit log. */
const FIRST_START: Actor = { kind: "service", id: "first start" };
const KEY_NAME = "first key";
/** What a first start changes at most: organization, plan with payment method, credits, owner, key. */
const CHANGES_MAX = 5;
const FIRST_CREDITS_NANO = 1_000_000n * NANO_PER_CREDIT;

/**
 * Makes the first organization, with a plan, a payment method, 1,000,000 credits, an owner and a key, when the store has none.
 * The key has the secret that is given, else a random one. Returns that secret, to be shown this once; null when it is no first
 * start. A first start that died half-way is finished: without its key nobody could use what it made.
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

/**
 * The first organization, new or left without a key by a first start that died; null when there is another, it has a key, or an operator
 * made it or something of it: that is nobody's but the operator's, whatever its name.
 */
async function findUnfinished(store: Store, nowSeconds: number): Promise<Organization | null> {
  const [first, ...others] = await store.listOrganizations();
  if (first === undefined) {
    return store.createOrganization({
      by: FIRST_START,
      id: mintAccountId("organization"),
      name: ORGANIZATION_NAME,
      createdAt: nowSeconds,
    });
  }
  if (others.length > 0 || first.name !== ORGANIZATION_NAME) return null;
  const keys = await store.listKeys({ organizationId: first.id });
  if (keys.length > 0) return null;
  const changes = await store.listAudit({ organizationId: first.id, before: null, limit: CHANGES_MAX + 1 });
  const isOurs = changes.length <= CHANGES_MAX && changes.every(({ by }) => by.id === FIRST_START.id);
  return isOurs ? first : null;
}

async function findOwner(store: Store, organizationId: string, nowSeconds: number): Promise<string> {
  const [owner] = await store.listMembers({ organizationId });
  if (owner !== undefined) return owner.id;
  const id = mintAccountId("member");
  await store.addMember({
    by: FIRST_START,
    id,
    organizationId,
    email: OWNER_EMAIL,
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
