// Plans the changes that bring the accounts in line with a file: a value, in an order in which they can be made.
import type { AccountsFile, OrganizationEntry } from "../../contract/manage/accounts-file.ts";
import { definedOf } from "../../base/defined.ts";
import { readOrganizationName } from "../access/account-fields.ts";
import type { RetentionBounds } from "../history/retention.ts";
import type { ModelNames } from "../models/model-names.ts";
import { readPolicyModels } from "../models/policy.ts";
import {
  type AccountChange,
  AccountsFileFault,
  type ChangedValues,
  type OrganizationChange,
  type Place,
  type PlannedOrganization,
  type PolicyValues,
  type ExistingOrganization,
} from "./account-change.ts";
import { planBudgets } from "./plan-budgets.ts";
import { planCredits } from "./plan-credits.ts";
import { planKeys } from "./plan-keys.ts";
import { planMembers } from "./plan-members.ts";
import { readAt } from "./read-at.ts";
import { differenceOf } from "./same-value.ts";

/** An existing object that is not in the file, although the file lists objects of its kind. */
export interface Unlisted {
  readonly object: "organization" | "member" | "key" | "budget";
  readonly organization: string;
  readonly name: string;
}

export interface AccountsPlan {
  readonly changes: readonly AccountChange[];
  /** The objects that stay although the file does not list them. */
  readonly unlisted: readonly Unlisted[];
  /** Models of policies that the catalog does not have. */
  readonly unknownModels: readonly string[];
}

interface Accounts {
  readonly file: AccountsFile;
  /** All organizations; those that the file does not name may be without members, keys and budgets. */
  readonly present: readonly ExistingOrganization[];
  readonly catalog: ModelNames;
  readonly retention: RetentionBounds;
  /**
   * Remove the members, keys and budgets that a list of the file does not have. Organizations and credits always stay.
   */
  readonly prune: boolean;
}

/**
 * Plans the changes. Throws an AccountsFileFault for the first value that can't be applied; nothing is changed then.
 */
export function planAccounts({ file, present, catalog, retention, prune }: Accounts): AccountsPlan {
  const changes: AccountChange[] = [];
  const unlisted: Unlisted[] = [];
  const unknownModels = new Set<string>();
  const readModels = (place: Place, names: readonly string[]): string[] => {
    const models = readPolicyModels(names, catalog);
    if ("wrong" in models) throw new AccountsFileFault(place, `is wrong: ${models.wrong}`);
    for (const model of models.unknown) unknownModels.add(model);
    return [...models.ids];
  };
  const matched = matchOrganizations(file, present);
  for (const [index, { entry, name, organization }] of matched.entries()) {
    const at = ["organizations", index];
    const values = readValues(entry, name, readModels, at);
    checkPlan(values, organization, [...at, "plan"]);
    checkRetention(values.retention_days ?? null, retention, [...at, "retention_days"]);
    const change = planOrganization(name, values, organization);
    if (change !== null) changes.push(change);
    const inside = planInside({ organization: name, entry, at, present: organization, prune, readModels });
    changes.push(...inside.changes);
    unlisted.push(...inside.unlisted);
  }
  const kept = new Set(matched.map(({ organization }) => organization?.id));
  for (const { id, values } of present) {
    if (!kept.has(id)) unlisted.push({ object: "organization", organization: values.name, name: values.name });
  }
  return { changes, unlisted, unknownModels: [...unknownModels] };
}

interface Matched {
  readonly entry: OrganizationEntry;
  readonly name: string;
  /** Null: it has to be created. */
  readonly organization: ExistingOrganization | null;
}

/** The organization of each entry, by id or name. */
function matchOrganizations({ organizations }: AccountsFile, present: readonly ExistingOrganization[]): Matched[] {
  const byId = new Map(present.map((organization) => [organization.id, organization]));
  const byName = new Map(present.map((organization) => [organization.values.name, organization]));
  const names = new Set<string>();
  const taken = new Set<ExistingOrganization>();
  return organizations.map((entry, index) => {
    const at = ["organizations", index];
    const name = readAt([...at, "name"], () => readOrganizationName(entry.name));
    if (names.has(name)) throw new AccountsFileFault([...at, "name"], `is "${name}", which is listed before.`);
    names.add(name);
    const organization = (entry.id === undefined ? byName.get(name) : byId.get(entry.id)) ?? null;
    if (organization === null && entry.id !== undefined) {
      throw new AccountsFileFault([...at, "id"], `is ${entry.id}; there is no such organization.`);
    }
    const other = byName.get(name);
    if (organization !== null && other !== undefined && other !== organization) {
      throw new AccountsFileFault([...at, "name"], `is "${name}", the name of ${other.id}.`);
    }
    if (organization !== null && taken.has(organization)) {
      throw new AccountsFileFault(at, `is ${organization.id}, which is listed before.`);
    }
    if (organization !== null) taken.add(organization);
    return { entry, name, organization };
  });
}

/** The values that an entry gives, models by their full ids. */
function readValues(
  entry: OrganizationEntry,
  name: string,
  readModels: PlannedOrganization["readModels"],
  at: Place,
): ChangedValues {
  const { plan, payment_method, suspended, retention_days, policy, limits } = entry;
  const modelsOf = (rule: "allow_models" | "deny_models", given: readonly string[]) =>
    readModels([...at, "policy", rule], given);
  const readRules = ({ allow_models: allow, deny_models: deny, tool_calls_per_turn }: NonNullable<typeof policy>) =>
    definedOf({
      allow_models: allow && modelsOf("allow_models", allow),
      deny_models: deny && modelsOf("deny_models", deny),
      tool_calls_per_turn,
    });
  return definedOf({
    name,
    plan,
    payment_method,
    suspended,
    retention_days,
    policy: policy && readRules(policy),
    limits,
  });
}

/** A plan needs a payment method, and stops with it. */
function checkPlan({ plan, payment_method }: ChangedValues, present: ExistingOrganization | null, at: Place): void {
  if (plan !== true || (payment_method ?? present?.values.payment_method ?? false)) return;
  throw new AccountsFileFault(at, "is true, and a plan needs a payment method: set payment_method to true.");
}

function checkRetention(days: number | null, { minimum, maximum }: RetentionBounds, at: Place): void {
  if (days === null || (days >= minimum && days <= maximum)) return;
  throw new AccountsFileFault(at, `is ${days}; allowed here: ${minimum} to ${maximum}, or null.`);
}

function planOrganization(
  organization: string,
  given: ChangedValues,
  present: ExistingOrganization | null,
): OrganizationChange | null {
  const common = { object: "organization", organization, name: organization } as const;
  if (present === null) return { ...common, action: "create", id: null, before: null, after: given };
  const { policy: rules = {}, limits: rates = {}, ...fields } = given;
  const { policy: presentRules, limits: presentRates, ...presentFields } = present.values;
  const field = differenceOf(presentFields, fields);
  const policy = differenceOf<PolicyValues>(presentRules, rules);
  const limits = differenceOf(presentRates, rates);
  if (field === null && policy === null && limits === null) return null;
  const valuesOf = (side: "before" | "after"): ChangedValues => ({
    ...field?.[side],
    ...(policy === null ? {} : { policy: policy[side] }),
    ...(limits === null ? {} : { limits: limits[side] }),
  });
  return { ...common, action: "change", id: present.id, before: valuesOf("before"), after: valuesOf("after") };
}

/** Plans credits, members, keys and budgets: first what is created and changed, then, with `prune`, what is removed. */
function planInside(planned: PlannedOrganization): Pick<AccountsPlan, "changes" | "unlisted"> {
  const { organization, prune } = planned;
  const members = planMembers(planned);
  const keys = planKeys(planned, members.remaining);
  const budgets = planBudgets(planned, { members: members.remaining, keys: keys.remaining });
  const credits = planCredits(planned);
  const topUp = credits === null ? [] : [credits];
  const changes = [...topUp, ...members.changes, ...keys.changes, ...budgets.changes];
  const removals = [...budgets.removals, ...keys.removals, ...members.removals];
  if (prune) return { changes: [...changes, ...removals], unlisted: [] };
  return { changes, unlisted: removals.map(({ object, name }) => ({ object, organization, name })) };
}
