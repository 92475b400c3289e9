// Compares the budgets of the file with the existing ones. A budget is identified by its scope, its key or member, and
// its period.
import type { BudgetEntry } from "../../contract/manage/accounts-file.ts";
import type { BudgetScope } from "../../contract/money.ts";
import { readBudgetName } from "../money/budgets.ts";
import { readCredits } from "../money/credits.ts";
import {
  AccountsFileFault,
  type BudgetChange,
  type Place,
  type PresentBudget,
  type PresentKey,
  type PresentMember,
} from "./account-change.ts";
import type { ListedKey } from "./plan-keys.ts";

export interface BudgetsPlan {
  readonly changes: readonly BudgetChange[];
  /** Existing budgets that the file does not list; empty when it has no list. */
  readonly unlisted: readonly PresentBudget[];
}

interface Budgets {
  readonly organization: string;
  readonly place: Place;
  /** Undefined: the file has no list of budgets. */
  readonly entries: readonly BudgetEntry[] | undefined;
  readonly present: readonly PresentBudget[];
  readonly members: readonly PresentMember[];
  /** The e-mail addresses of the members after the changes. */
  readonly remainingMembers: ReadonlySet<string>;
  readonly listedKeys: readonly ListedKey[];
  /** The existing keys that are not revoked after the changes. */
  readonly remainingKeys: readonly PresentKey[];
}

/**
 * The key or member of a budget, else the organization; the id is null while it has to be created, and for
 * organizations.
 */
interface Owner {
  readonly id: string | null;
  readonly name: string;
}

/**
 * Plans the budgets of an organization. Throws an AccountsFileFault for a wrong or repeated budget and an unknown or
 * ambiguous key or member.
 */
export function planBudgets(budgets: Budgets): BudgetsPlan {
  const { organization, place, entries, present } = budgets;
  if (entries === undefined) return { changes: [], unlisted: [] };
  const findOwner = indexOwners(budgets);
  const presentByName = new Map(present.map((budget) => [keyOf(budget), budget]));
  const changes: BudgetChange[] = [];
  const seen = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const at = [...place, index];
    const name = readBudgetName(entry);
    if ("wrong" in name) throw new AccountsFileFault(at, `is wrong: ${name.wrong}`);
    const { limit } = entry;
    if (readCredits(String(limit)) === null) {
      throw new AccountsFileFault([...at, "limit"], `is ${limit}; allowed: at most six decimals.`);
    }
    const { scope, period } = name;
    const owner = name.id === null ? { id: null, name: organization } : findOwner[scope](name.id, [...at, "id"]);
    const identity = JSON.stringify([scope, owner.id, owner.name, period]);
    if (seen.has(identity)) throw new AccountsFileFault(at, "is a budget that is listed before.");
    seen.add(identity);
    const key = keyOf({ scope, id: owner.id, period });
    const budget = presentByName.get(key);
    if (budget !== undefined) presentByName.delete(key);
    if (budget?.limit === limit) continue;
    const action = budget === undefined ? "create" : "change";
    const before = budget === undefined ? null : { limit: budget.limit };
    changes.push({ object: "budget", action, organization, ...owner, scope, period, before, after: { limit } });
  }
  return { changes, unlisted: [...presentByName.values()] };
}

function keyOf({ scope, id, period }: Pick<PresentBudget, "scope" | "id" | "period">): string {
  return `${scope} ${id ?? ""} ${period}`;
}

type FindOwner = (named: string, at: Place) => Owner;

/** Finds the owner of a budget by scope. */
function indexOwners(budgets: Budgets): Readonly<Record<BudgetScope, FindOwner>> {
  const none: FindOwner = () => {
    throw new Error("this scope has no owner");
  };
  return {
    organization: none,
    "organization-day": none,
    response: none,
    member: indexMembers(budgets),
    key: indexKeys(budgets),
  };
}

function indexMembers({ members, remainingMembers }: Budgets): FindOwner {
  const byEmail = new Map(members.map((member) => [member.email, member]));
  const byId = new Map(members.map((member) => [member.id, member]));
  return (named, at) => {
    const email = byId.get(named)?.email ?? named.trim().toLowerCase();
    if (remainingMembers.has(email)) return { id: byEmail.get(email)?.id ?? null, name: email };
    throw new AccountsFileFault(at, `is ${named}; allowed: a member of the organization, by e-mail address.`);
  };
}

function indexKeys({ listedKeys, remainingKeys }: Budgets): FindOwner {
  const byId = new Map(remainingKeys.map((key) => [key.id, key]));
  const fresh = listedKeys.filter(({ id }) => id === null);
  const byName = Map.groupBy([...fresh, ...remainingKeys], ({ name }) => name);
  return (named, at) => {
    const { id, name } = byId.get(named) ?? { id: null, name: named.trim() };
    if (id !== null) return { id, name };
    const [key, ...others] = byName.get(name) ?? [];
    if (key === undefined) {
      throw new AccountsFileFault(at, `is ${named}; allowed: a key of the organization, by name or id.`);
    }
    if (others.length === 0) return { id: key.id, name };
    throw new AccountsFileFault(at, `is ${named}, which ${others.length + 1} keys are named; give the id of one.`);
  };
}
