// Compares the budgets of the file with the existing ones. A budget is identified by its scope, its key or member, and
// its period.
import { emailOf } from "../access/account-fields.ts";
import { readBudgetName } from "../money/budgets.ts";
import { readCredits } from "../money/credits.ts";
import {
  AccountsFileFault,
  type BudgetChange,
  type Place,
  type PlannedOrganization,
  type ExistingBudget,
  type ExistingMember,
  type ExistingOrganization,
} from "./account-change.ts";
import type { RemainingKey } from "./plan-keys.ts";

export interface BudgetsPlan {
  readonly changes: readonly BudgetChange[];
  /** Removals of the budgets that the file does not list; none when it has no list. */
  readonly removals: readonly BudgetChange[];
}

/** What can have a budget after the changes: members by their e-mail addresses, and keys. */
interface Remaining {
  readonly members: ReadonlySet<string>;
  readonly keys: readonly RemainingKey[];
}

/**
 * The key or member of a budget, else the organization; the id is null while it has to be created, and for
 * organizations.
 */
interface BudgetOwner {
  readonly id: string | null;
  readonly name: string;
}

/**
 * Plans the budgets of an organization. Throws an AccountsFileFault for a wrong or repeated budget and an unknown or
 * ambiguous key or member.
 */
export function planBudgets(
  { organization, entry: { budgets: entries }, at: of, present }: PlannedOrganization,
  remaining: Remaining,
): BudgetsPlan {
  if (entries === undefined) return { changes: [], removals: [] };
  const place = [...of, "budgets"];
  const findMember = indexMembers(present?.members ?? [], remaining.members);
  const findKey = indexKeys(remaining.keys);
  const presentByName = new Map(present?.budgets.map((budget) => [keyOf(budget), budget]));
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
    const findOwner = scope === "member" ? findMember : findKey;
    const owner = name.id === null ? { id: null, name: organization } : findOwner(name.id, [...at, "id"]);
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
  const nameOf = indexNames(organization, present);
  const removals = Array.from(presentByName.values(), (budget): BudgetChange => {
    const { scope, id, period, limit } = budget;
    const names = { organization, name: nameOf(budget), id, scope, period };
    return { object: "budget", action: "remove", ...names, before: { limit }, after: null };
  });
  return { changes, removals };
}

function keyOf({ scope, id, period }: Pick<ExistingBudget, "scope" | "id" | "period">): string {
  return `${scope} ${id ?? ""} ${period}`;
}

type FindOwner = (named: string, at: Place) => BudgetOwner;

function indexMembers(existing: readonly ExistingMember[], remaining: ReadonlySet<string>): FindOwner {
  const byEmail = new Map(existing.map((member) => [member.email, member]));
  const byId = new Map(existing.map((member) => [member.id, member]));
  return (named, at) => {
    const email = byId.get(named)?.email ?? emailOf(named) ?? named;
    if (remaining.has(email)) return { id: byEmail.get(email)?.id ?? null, name: email };
    throw new AccountsFileFault(at, `is ${named}; allowed: a member of the organization, by e-mail address.`);
  };
}

function indexKeys(remaining: readonly RemainingKey[]): FindOwner {
  const byId = new Map(remaining.map((key) => [key.id, key]));
  const byName = Map.groupBy(remaining, ({ name }) => name);
  return (named, at) => {
    const key = byId.get(named);
    if (key !== undefined) return { id: key.id, name: key.name };
    const name = named.trim();
    const [first, ...others] = byName.get(name) ?? [];
    if (first === undefined) {
      throw new AccountsFileFault(at, `is ${named}; allowed: a key of the organization, by name or id.`);
    }
    if (others.length === 0) return { id: first.id, name };
    throw new AccountsFileFault(at, `is ${named}, which ${others.length + 1} keys are named; give the id of one.`);
  };
}

/** The name of a budget's key or member, else of the organization. */
function indexNames(organization: string, present: ExistingOrganization | null): (budget: ExistingBudget) => string {
  const names = new Map([
    ...(present?.keys ?? []).map(({ id, name }) => [id, name] as const),
    ...(present?.members ?? []).map(({ id, email }) => [id, email] as const),
  ]);
  return ({ id }) => (id === null ? organization : (names.get(id) ?? id));
}
