// Reads the accounts that an accounts file names, and makes its changes. docs/accounts-file.md
import { definedOf } from "../base/defined.ts";
import type { AccountsFile } from "../contract/manage/accounts-file.ts";
import type { AccountChange, OrganizationChange, PresentOrganization } from "../core/accounts-file/account-change.ts";
import { AccountError, NO_LIMITS, NO_POLICY, type Organization } from "../ports/store/accounts.ts";
import type { AdminContext } from "../flows/accounts/admin-context.ts";
import { addMember, findMember, removeMember, setMemberRole } from "../flows/accounts/members.ts";
import { readAmount } from "../flows/accounts/amounts.ts";
import { setterOf } from "./ceilings.ts";
import { creditsAsNumber } from "../core/money/credits.ts";
import { addKey, endKey, presentKey } from "./keys.ts";
import { presentMember } from "./members.ts";
import { addOrganization, presentOrganization } from "./organizations.ts";
import { limitsOf, policyOf } from "./rules.ts";

type Store = AdminContext["store"];

/** A key that was created; its secret is returned only here. */
export interface MadeKey {
  readonly organization: string;
  readonly id: string;
  readonly name: string;
  readonly secret: string;
}

/** Reads all organizations. Those that the file names have members, keys and budgets; without a file all have them. */
export async function readAccounts(store: Store, file: AccountsFile | null): Promise<readonly PresentOrganization[]> {
  const named = new Set(file?.organizations.flatMap(({ id, name }) => [id, name.trim()]));
  const present: PresentOrganization[] = [];
  for (const organization of await store.listOrganizations()) {
    const isNamed = file === null || named.has(organization.id) || named.has(organization.name);
    // oxlint-disable-next-line no-await-in-loop -- one after the other: a service may be running on the same store
    present.push(isNamed ? await readInside(store, organization) : presentAlone(organization));
  }
  return present;
}

function presentAlone(organization: Organization): PresentOrganization {
  // The file has the operator's rules; what the organization has set itself is its own.
  const { policy = NO_POLICY, limits = NO_LIMITS, retentionDays: retention_days = null } = organization.rules.operator;
  const { id, suspended = false, ...rest } = presentOrganization({ ...organization, policy, limits });
  const { name, plan, payment_method } = rest;
  const rules = { policy: rest.policy, limits: rest.limits };
  const values = { name, plan, payment_method, suspended, retention_days, ...rules };
  return { id, values, members: [], keys: [], budgets: [] };
}

async function readInside(store: Store, organization: Organization): Promise<PresentOrganization> {
  const query = { organizationId: organization.id };
  const [members, keys, budgets] = await Promise.all([
    store.listMembers(query),
    store.listKeys(query),
    store.listBudgets(query),
  ]);
  const emails = new Map(members.map(({ id, email }) => [id, email]));
  const usable = keys.filter(({ revokedAt }) => revokedAt === null);
  const usableIds = new Set(usable.map(({ id }) => id));
  return {
    ...presentAlone(organization),
    members: members.map(presentMember),
    keys: usable.map(presentKey).map(({ id, name, member, permissions, unanswered_calls }) => ({
      id,
      name,
      member: member === null ? null : (emails.get(member) ?? member),
      permissions,
      unanswered_calls,
    })),
    budgets: budgets
      .filter(({ scope, id }) => scope !== "key" || (id !== null && usableIds.has(id)))
      .flatMap(({ scope, id, period, ceiling }) =>
        ceiling === undefined ? [] : [{ scope, id, period, limit: creditsAsNumber(ceiling.limitNano) }],
      ),
  };
}

/** Makes changes one after the other; knows the ids of what it has created. */
export interface AccountChanger {
  /**
   * Makes one change. Returns a key that it created, else null. Throws an AccountError or ApiError when the accounts
   * have changed meanwhile.
   */
  make(change: AccountChange): Promise<MadeKey | null>;
}

/** Creates a changer of the accounts that `readAccounts` has found. */
export function createAccountChanger(admin: AdminContext, present: readonly PresentOrganization[]): AccountChanger {
  const organizationIds = new Map(present.map(({ id, values }) => [values.name, id]));
  /** Created keys by organization and name. */
  const keyIds = new Map<string, string>();

  async function makeOrganization({ id, name, after }: OrganizationChange): Promise<void> {
    const organizationId = id ?? (await addOrganization(admin, name)).id;
    organizationIds.set(name, organizationId);
    await updateValues(admin, organizationId, after ?? {});
  }

  return {
    async make(change) {
      if (change.object === "organization") {
        await makeOrganization(change);
        return null;
      }
      const organizationId = organizationIds.get(change.organization);
      if (organizationId === undefined) throw new Error("a change of an organization that is neither present nor made");
      switch (change.object) {
        case "member":
          await makeMember(admin, organizationId, change);
          return null;
        case "key": {
          const made = await makeKey(admin, organizationId, change);
          if (made !== null) keyIds.set(`${organizationId} ${made.name}`, made.id);
          return made;
        }
        case "budget": {
          const { scope, period, id, name, after } = change;
          const keyId = id ?? keyIds.get(`${organizationId} ${name}`) ?? name;
          const owner = scope === "key" ? keyId : scope === "member" ? (id ?? name) : null;
          const budget = { organizationId, name: { scope, period, id: owner }, by: admin.by, setBy: setterOf(admin) };
          if (after === null) await admin.store.clearBudget(budget);
          else await admin.store.setBudget({ ...budget, limitNano: readAmount("limit", after.limit) });
          return null;
        }
        default:
          return change satisfies never;
      }
    },
  };
}

type ChangeTo<Object extends AccountChange["object"]> = Extract<AccountChange, { object: Object }>;

/** All values of an organization in one transaction. */
async function updateValues(
  admin: AdminContext,
  organizationId: string,
  after: NonNullable<OrganizationChange["after"]>,
): Promise<void> {
  const { name, plan, payment_method: paymentMethod, suspended, retention_days: retentionDays } = after;
  const { policy, limits } = after;
  const { store, by } = admin;
  await store.updateOrganization({
    by,
    organizationId,
    setBy: setterOf(admin),
    ...definedOf({ name, plan, paymentMethod, suspended, retentionDays }),
    ...definedOf({ policy: policy && policyOf(policy), limits: limits && limitsOf(limits) }),
  });
}

async function makeMember(
  admin: AdminContext,
  organizationId: string,
  { name: email, after }: ChangeTo<"member">,
): Promise<void> {
  const member = await findMember(admin, organizationId, email);
  if (member === null) {
    if (after === null) throw new AccountError(`The organization has no member ${email} any more.`);
    await addMember(admin, { organizationId, email, role: after.role });
  } else if (after === null) await removeMember(admin, member);
  else await setMemberRole(admin, member, after.role);
}

async function makeKey(
  admin: AdminContext,
  organizationId: string,
  { id, name, organization, after }: ChangeTo<"key">,
): Promise<MadeKey | null> {
  if (id !== null) {
    if (after === null) await endKey(admin, id);
    else await admin.store.updateKey({ by: admin.by, keyId: id, unansweredCalls: after.unanswered_calls });
    return null;
  }
  const { member = null, permissions: permission = "all", unanswered_calls: unansweredCalls = "refuse" } = after ?? {};
  const owner = member === null ? null : await findMember(admin, organizationId, member);
  if (member !== null && owner === null) {
    throw new AccountError(`The organization has no member ${member} any more.`);
  }
  const memberId = owner?.id ?? null;
  const made = await addKey(admin, { organizationId, memberId, name, permission, unansweredCalls });
  return { organization, ...made };
}
