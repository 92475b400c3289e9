// The existing accounts as a file: to apply it would change nothing.
import type { AccountsFile, BudgetEntry, KeyEntry, OrganizationEntry } from "../../contract/manage/accounts-file.ts";
import type { ExistingBudget, ExistingKey, ExistingOrganization } from "./account-change.ts";

/** Makes the file. It has ids only where several keys of an organization have the same name. */
export function asAccountsFile(organizations: readonly ExistingOrganization[]): AccountsFile {
  return { organizations: organizations.map(asEntry) };
}

function asEntry({ values, members, keys, budgets }: ExistingOrganization): OrganizationEntry {
  const { policy, limits, ...fields } = values;
  const byName = Map.groupBy(keys, ({ name }) => name);
  const isUnique = ({ name }: ExistingKey) => byName.get(name)?.length === 1;
  const names = new Map([
    ...members.map(({ id, email }) => [id, email] as const),
    ...keys.map((key) => [key.id, isUnique(key) ? key.name : key.id] as const),
  ]);
  return {
    ...fields,
    policy: {
      allow_models: policy.allow_models === null ? null : [...policy.allow_models],
      deny_models: [...policy.deny_models],
      tool_calls_per_turn: policy.tool_calls_per_turn,
    },
    limits: { ...limits },
    members: members.map(({ email, role }) => ({ email, role })),
    keys: keys.map((key) => asKey(key, isUnique(key))),
    budgets: budgets.map((budget) => asBudget(budget, names)),
  };
}

/** Limits are left out where there are none: a file of three hundred keys stays readable. */
function asKey({ id, name, member, permissions, unanswered_calls, limits }: ExistingKey, isUnique: boolean): KeyEntry {
  const set = Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null));
  const given = Object.keys(set).length === 0 ? {} : { limits: set };
  return { name, ...(isUnique ? {} : { id }), member, permissions, unanswered_calls, ...given };
}

function asBudget({ scope, id, period, limit }: ExistingBudget, names: ReadonlyMap<string, string>): BudgetEntry {
  return { scope, ...(id === null ? {} : { id: names.get(id) ?? id }), period, limit };
}
