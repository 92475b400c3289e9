// The first start: creates an organization that is served at once, and its first API key.
import { KEY_FORMAT } from "../core/access/checked-secret.ts";
import { NANO_PER_CREDIT } from "../core/money/credits.ts";
import type { Actor } from "../ports/store/audit.ts";
import type { AdminContext } from "../flows/accounts/admin-context.ts";
import { createSignInLink } from "../flows/accounts/members.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { Store } from "../ports/store/store.ts";
import { mintAccountId } from "../system/ids.ts";
import { FIRST_ORGANIZATION, FIRST_OWNER, type LaterKeys } from "./greeting.ts";

/** The actor in the audit log. */
const FIRST_START: Actor = { kind: "service", id: "first start" };
const KEY_NAME = "first key";
const FIRST_CREDITS_NANO = 1_000_000n * NANO_PER_CREDIT;

/**
 * Creates the first organization, with a plan, a payment method, 1,000,000 credits, an owner and a key, unless the store
 * has or had one: where organizations were deleted, a key of the environment must not come back to life. The key has the
 * given secret, or a random one. Returns that secret, which is shown once; null on a later start, and on all but one of
 * several nodes that start at the same time.
 */
export async function bootstrap(
  store: Store,
  secrets: Secrets,
  { apiKey, nowSeconds: createdAt }: { readonly apiKey: string | null; readonly nowSeconds: number },
): Promise<string | null> {
  const parsed = apiKey === null ? null : KEY_FORMAT.read(apiKey);
  const { secret, lookup } = parsed ?? secrets.mintApiKey();
  const organizationId = mintAccountId("organization");
  const memberId = mintAccountId("member");
  const isFirst = await store.createFirstOrganization({
    by: FIRST_START,
    organization: {
      id: organizationId,
      name: FIRST_ORGANIZATION,
      createdAt,
      credits: { transactionId: mintAccountId("transaction"), amountNano: FIRST_CREDITS_NANO },
    },
    owner: { id: memberId, organizationId, email: FIRST_OWNER, role: "owner", createdAt },
    key: {
      id: mintAccountId("key"),
      organizationId,
      memberId,
      name: KEY_NAME,
      createdAt,
      revokedAt: null,
    },
    secret: { lookup, hash: secrets.hashKeySecret(secret) },
  });
  return isFirst ? secret : null;
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
  const given = apiKey === null ? null : KEY_FORMAT.read(apiKey);
  if (given === null) return { organizations, given };
  const found = await store.findKey({ lookup: given.lookup });
  const isKnown = found !== null && secrets.matchesKeySecret(given.secret, found.secretHash);
  return { organizations, given: isKnown ? "known" : "unknown" };
}
