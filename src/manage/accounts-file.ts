// Reads the accounts that an accounts file names, and makes its changes: by the operations of the management interface,
// on the store here or on a running service. docs/accounts-file.md
import type { Static } from "typebox";
import { ACCOUNTS_PAGE_MAX } from "../contract/manage/limits.ts";
import type { AccountsFile } from "../contract/manage/accounts-file.ts";
import type {
  AccountChange,
  ChangedValues,
  LimitValues,
  PolicyValues,
  ExistingOrganization,
} from "../core/accounts-file/account-change.ts";
import { balanceOf, lackOf } from "../core/accounts-file/plan-credits.ts";
import { AUDIT } from "./audit.ts";
import { BUDGETS } from "./budgets.ts";
import { CREDITS, PAYMENT_METHOD, PLAN } from "./credits.ts";
import { KEYS } from "./keys.ts";
import { MEMBERS } from "./members.ts";
import type { CallOperation, Operation } from "./definition/operation.ts";
import { type Organization, ORGANIZATIONS } from "./organizations.ts";
import { RETENTION } from "./retention.ts";
import { LIMITS, POLICY } from "./rules.ts";

/** Calls operations on the organization with this id, or (null) those on none. */
export type CallIn = (organizationId: string | null) => CallOperation;

/** A key that was created; its secret is returned only here. */
export interface MadeKey {
  readonly organization: string;
  readonly id: string;
  readonly name: string;
  readonly secret: string;
}

/** Reads all organizations. Those that the file names have members, keys and budgets; without a file all have them. */
export async function readAccounts(
  callIn: CallIn,
  file: AccountsFile | null,
): Promise<readonly ExistingOrganization[]> {
  const named = new Set(file?.organizations.flatMap(({ id, name }) => [id, name.trim()]));
  const { data } = await callIn(null)(ORGANIZATIONS.operations.listOrganizations, {});
  const present: ExistingOrganization[] = [];
  for (const organization of data) {
    const isNamed = file === null || named.has(organization.id) || named.has(organization.name);
    // oxlint-disable-next-line no-await-in-loop -- one after the other: a service is working on the same store
    present.push(isNamed ? await readInside(callIn(organization.id), organization) : presentAlone(organization));
  }
  return present;
}

const NO_POLICY: PolicyValues = { allow_models: null, deny_models: [], tool_calls_per_turn: null };
const NO_LIMITS: LimitValues = {
  create_per_minute: null,
  retrieve_per_minute: null,
  delete_per_minute: null,
  tokens_per_minute: null,
  open_streams: null,
  concurrent_turns: null,
};

function presentAlone(organization: Static<typeof Organization>): ExistingOrganization {
  const { id, name, plan, payment_method, suspended = false, ceilings = {} } = organization;
  // The file has the operator's rules; what the organization has set itself is its own.
  const { policy = NO_POLICY, limits = NO_LIMITS, retention_days = null } = ceilings;
  const values = { name, plan, payment_method, suspended, retention_days, policy, limits };
  return { id, values, balance: balanceOf(organization), members: [], keys: [], budgets: [] };
}

async function readInside(
  call: CallOperation,
  organization: Static<typeof Organization>,
): Promise<ExistingOrganization> {
  const [members, keys, budgets] = await Promise.all([
    readPages(call, MEMBERS.operations.listMembers),
    readPages(call, KEYS.operations.listKeys),
    call(BUDGETS.operations.listBudgets, {}),
  ]);
  const emails = new Map(members.map(({ id, email }) => [id, email]));
  const usable = keys.filter(({ revoked_at: revokedAt }) => revokedAt === null);
  const usableIds = new Set(usable.map(({ id }) => id));
  return {
    ...presentAlone(organization),
    members: members.map(({ id, email, role }) => ({ id, email, role })),
    keys: usable.map(({ id, name, member, permissions, unanswered_calls, limits }) => ({
      id,
      name,
      member: member === null ? null : (emails.get(member) ?? member),
      permissions,
      unanswered_calls,
      limits,
    })),
    budgets: budgets.data
      .filter(({ scope, id }) => scope !== "key" || (id !== null && usableIds.has(id)))
      .flatMap(({ scope, id, period, ceiling: limit }) => (limit === undefined ? [] : [{ scope, id, period, limit }])),
  };
}

/** All entries of a list that has pages, of those that a filter names. */
export async function readPages<Entry extends { readonly id: string }, Filter extends object = {}>(
  call: CallOperation,
  list: Operation<Filter & { limit: number; after?: string }, { data: Entry[]; has_more: boolean }>,
  filter: Filter = {} as Filter,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (;;) {
    const after = entries.at(-1)?.id;
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before it ended
    const page = await call(list, { ...filter, limit: ACCOUNTS_PAGE_MAX, ...(after === undefined ? {} : { after }) });
    entries.push(...page.data);
    if (!page.has_more || page.data.length === 0) return entries;
  }
}

/** Makes changes one after the other; knows the ids of what it has created. */
export interface AccountChanger {
  /**
   * Makes one change. Returns a key that it created, else null. Throws the operation's error when the accounts have
   * changed meanwhile.
   */
  make(change: AccountChange): Promise<MadeKey | null>;
  /** Which settings of an organization the change made that failed: each is a transaction of its own. */
  madeSettings(): readonly string[];
}

/** Creates a changer of the accounts that `readAccounts` has found. */
export function createAccountChanger(callIn: CallIn, present: readonly ExistingOrganization[]): AccountChanger {
  const organizationIds = new Map(present.map(({ id, values }) => [values.name, id]));
  /** Created keys by organization and name. */
  const keyIds = new Map<string, string>();
  let settings: string[] = [];

  return {
    madeSettings: () => settings,
    async make(change) {
      settings = [];
      if (change.object === "organization") {
        const { id, name, after } = change;
        const organizationId = id ?? (await callIn(null)(ORGANIZATIONS.operations.createOrganization, { name })).id;
        if (id === null) settings.push("name");
        organizationIds.set(name, organizationId);
        const { name: given, ...values } = after ?? {};
        const changed = id === null || given === undefined ? values : { name: given, ...values };
        for (const [setting, set] of listSettings(callIn(organizationId), changed)) {
          // oxlint-disable-next-line no-await-in-loop -- in this order
          await set();
          settings.push(setting);
        }
        return null;
      }
      const organizationId = organizationIds.get(change.organization);
      if (organizationId === undefined) throw new Error("a change of an organization that is neither present nor made");
      const call = callIn(organizationId);
      switch (change.object) {
        case "credits":
          await addLack(call, organizationId, change);
          return null;
        case "member":
          await changeMember(call, change);
          return null;
        case "key": {
          const made = await changeKey(call, change);
          if (made !== null) keyIds.set(`${organizationId} ${made.name}`, made.id);
          return made;
        }
        case "budget": {
          const { scope, period, id, name, after } = change;
          const keyId = id ?? keyIds.get(`${organizationId} ${name}`) ?? name;
          const owner = scope === "key" ? { id: keyId } : scope === "member" ? { id: id ?? name } : {};
          const budget = { scope, period, ...owner };
          if (after === null) await call(BUDGETS.operations.clearBudget, budget);
          else await call(BUDGETS.operations.setBudget, { ...budget, limit: after.limit });
          return null;
        }
        default:
          return change satisfies never;
      }
    },
  };
}

type ChangeTo<Object extends AccountChange["object"]> = Extract<AccountChange, { object: Object }>;

/**
 * The changed values of an organization in the order in which they can be set: a plan needs a payment method, which so
 * comes before it and goes after it.
 */
function listSettings(
  call: CallOperation,
  values: ChangedValues,
): readonly (readonly [string, () => Promise<unknown>])[] {
  const { name, plan, payment_method: paymentMethod, suspended, retention_days: days, policy, limits } = values;
  const { renameOrganization, suspendOrganization, resumeOrganization } = ORGANIZATIONS.operations;
  const settings: [string, () => Promise<unknown>][] = [];
  if (name !== undefined) settings.push(["name", () => call(renameOrganization, { name })]);
  const payment: [string, () => Promise<unknown>] = [
    "payment_method",
    () =>
      call(
        paymentMethod ? PAYMENT_METHOD.operations.setPaymentMethod : PAYMENT_METHOD.operations.clearPaymentMethod,
        {},
      ),
  ];
  if (paymentMethod === true) settings.push(payment);
  if (plan !== undefined) {
    settings.push(["plan", () => call(plan ? PLAN.operations.startPlan : PLAN.operations.stopPlan, {})]);
  }
  if (paymentMethod === false) settings.push(payment);
  if (suspended !== undefined) {
    settings.push(["suspended", () => call(suspended ? suspendOrganization : resumeOrganization, {})]);
  }
  if (days !== undefined) settings.push(["retention_days", () => call(RETENTION.operations.setRetention, { days })]);
  if (policy !== undefined) {
    const { allow_models: allow, deny_models: deny, ...rules } = policy;
    const models = {
      ...(allow === undefined ? {} : { allow_models: allow && [...allow] }),
      ...(deny === undefined ? {} : { deny_models: [...deny] }),
    };
    settings.push(["policy", () => call(POLICY.operations.setPolicy, { ...rules, ...models })]);
  }
  if (limits !== undefined) settings.push(["limits", () => call(LIMITS.operations.setLimits, limits)]);
  return settings;
}

/**
 * Adds what is lacking now. The id of the top-up follows from the one before it: of two that apply a file at once, one
 * adds. The one before is read first, so that a top-up that comes between counts.
 */
async function addLack(call: CallOperation, organizationId: string, { after }: ChangeTo<"credits">): Promise<void> {
  const transaction_id = `apply:${organizationId}:${await findLastTopUp(call)}`;
  const balance = balanceOf(await call(CREDITS.operations.showCredits, {}));
  const amount = lackOf(balance, after?.balance ?? 0);
  if (amount > 0) await call(CREDITS.operations.addCredits, { amount, transaction_id });
}

/** The number of the last top-up in the audit log, of those before a number; 0: there is none. */
async function findLastTopUp(call: CallOperation, before?: number): Promise<number> {
  const query = { action: "credits.add" as const, limit: 1, ...(before === undefined ? {} : { before }) };
  const { data, older } = await call(AUDIT.operations.listAudit, query);
  const [last] = data;
  if (last !== undefined) return last.id;
  return older === null ? 0 : findLastTopUp(call, older);
}

async function changeMember(call: CallOperation, { id, name: email, after }: ChangeTo<"member">): Promise<void> {
  const { addMember, setMemberRole, removeMember } = MEMBERS.operations;
  if (id === null) await call(addMember, { email, role: after?.role ?? "member" });
  else if (after === null) await call(removeMember, { member_id: id });
  else await call(setMemberRole, { member_id: id, role: after.role });
}

async function changeKey(call: CallOperation, change: ChangeTo<"key">): Promise<MadeKey | null> {
  const { id, name, organization, after } = change;
  const { createKey, updateKey, revokeKey } = KEYS.operations;
  if (id !== null) {
    if (after === null) await call(revokeKey, { key_id: id });
    else await call(updateKey, { key_id: id, unanswered_calls: after.unanswered_calls, ...after.limits });
    return null;
  }
  const { member = null, limits = {}, ...rules } = after ?? {};
  const made = await call(createKey, { name, ...rules, ...limits, ...(member === null ? {} : { member }) });
  return { organization, id: made.id, name: made.name, secret: made.secret };
}
