// The first start: creates an organization that is served at once, and its first API key.
import { KEY_FORMAT } from "../core/access/checked-secret.ts";
import { NANO_PER_CREDIT } from "../core/money/credits.ts";
import type { Organization } from "../ports/store/accounts.ts";
import type { Actor } from "../ports/store/audit.ts";
import type { AdminContext } from "../flows/accounts/admin-context.ts";
import { createSignInLink } from "../flows/accounts/members.ts";
import { type Clock, pause } from "../ports/clock.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { NodeStore } from "../ports/store/nodes.ts";
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
/** A node that dies in its first start leaves it to another one after this time. */
const LEASE_MS = 20_000;
/** The pause before a node looks again whether another one has done it. */
const LOOK_AGAIN_MS = 200;

/**
 * Creates the first organization, with a plan, a payment method, 1,000,000 credits, an owner and a key, if the store has none. The key has the
 * given secret, or a random one. Returns that secret, which is shown once; null on a later start. Completes an interrupted first
 * start, since its organization has no key yet. Waits until `mayBegin` allows it to this process, or until another process has done it.
 */
export async function bootstrap(
  store: Store,
  secrets: Secrets,
  given: { readonly apiKey: string | null; readonly nowSeconds: number; readonly mayBegin?: () => Promise<boolean> },
): Promise<string | null> {
  const { nowSeconds, mayBegin = async () => true } = given;
  do {
    // oxlint-disable-next-line no-await-in-loop -- looks again until this process or another one has done it
    if ((await findUnfinished(store)) === null) return null;
    // oxlint-disable-next-line no-await-in-loop -- as above
  } while (!(await mayBegin()));
  // Another process may have done it since.
  const unfinished = await findUnfinished(store);
  if (unfinished === null) return null;
  const organization = unfinished === "none" ? await createFirst(store, nowSeconds) : unfinished;
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

/** Says on which of several nodes that start at the same time the first start happens; waits before it says no. */
export function takeFirstStart(nodes: Pick<NodeStore, "takeTask">, clock: Pick<Clock, "after">) {
  return async (): Promise<boolean> => {
    if (await nodes.takeTask({ task: FIRST_START.id, leaseMs: LEASE_MS })) return true;
    await pause(clock, LOOK_AGAIN_MS);
    return false;
  };
}

/** The facts about keys that a later start prints; `apiKey` is the one of the environment. */
export async function lookAtKeys(store: Store, secrets: Secrets, apiKey: string | null): Promise<LaterKeys> {
  const organizations = (await store.listOrganizations()).map(({ name }) => name);
  const given = apiKey === null ? null : KEY_FORMAT.read(apiKey);
  if (given === null) return { organizations, given };
  const found = await store.findKey({ lookup: given.lookup });
  const isKnown = found !== null && secrets.matchesKeySecret(given.secret, found.secretHash);
  return { organizations, given: isKnown ? "known" : "unknown" };
}

function createFirst(store: Store, nowSeconds: number): Promise<Organization> {
  return store.createOrganization({
    by: FIRST_START,
    id: mintAccountId("organization"),
    name: FIRST_ORGANIZATION,
    createdAt: nowSeconds,
  });
}

/**
 * The first organization, left without a key by an interrupted first start; "none" if there is no organization. Null if there are others, if it
 * has a key, or if an operator created or changed it: then it belongs to the operator, whatever its name.
 */
async function findUnfinished(store: Store): Promise<Organization | "none" | null> {
  const [first, ...others] = await store.listOrganizations();
  // A first start makes a new database usable. Where organizations were deleted, a key of the environment must not come back to life.
  if (first === undefined)
    return (await store.listDeletedOrganizations({ onlyUnerased: false })).length > 0 ? null : "none";
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
  const given = of.apiKey === null ? null : KEY_FORMAT.read(of.apiKey);
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
