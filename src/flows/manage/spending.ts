// Operations on an organization's budgets and usage.
import { invalidInput } from "../../contract/errors.ts";
import type { BodyOf } from "../../contract/manage/bodies.ts";
import { USAGE_ROWS_MAX } from "../../contract/manage/limits.ts";
import type { UsageGrouping } from "../../contract/money.ts";
import { readDay } from "../../core/money/billing-day.ts";
import { type BudgetName, readBudgetName } from "../../core/money/budgets.ts";
import { describeUsageGroupings, readUsageGroupings, type UsageScope } from "../../core/money/usage-groupings.ts";
import type { UsageRow } from "../../ports/store/money.ts";
import { presentBudget, presentUsage } from "../accounts/present-spending.ts";
import { readAmount } from "../accounts/organizations.ts";
import type { ManageRequest } from "./services.ts";
import type { AuthorizedRequest, OrganizationRequest } from "./authorized-request.ts";
import { memberOf } from "./principal.ts";

/** Lists all budgets, each in its current period. */
export async function listBudgets({ services, organization }: OrganizationRequest) {
  const budgets = await services.store.listBudgets({ organizationId: organization.id });
  return { data: budgets.map(presentBudget) };
}

export async function setBudget({ admin, organization }: OrganizationRequest, body: BodyOf<"setBudget">) {
  const { limit, ...request } = body;
  const limitNano = readAmount("limit", limit);
  const { store, by } = admin;
  const budget = await store.setBudget({ organizationId: organization.id, name: readName(request), limitNano, by });
  return presentBudget(budget);
}

export async function raiseBudget({ admin, organization }: OrganizationRequest, body: BodyOf<"raiseBudget">) {
  const { amount, until, ...request } = body;
  const raise = { amountNano: readAmount("amount", amount), untilMs: until * 1000 };
  const { store, by } = admin;
  const budget = await store.raiseBudget({ organizationId: organization.id, name: readName(request), raise, by });
  return presentBudget(budget);
}

export async function clearBudget({ admin, organization }: OrganizationRequest, body: BodyOf<"clearBudget">) {
  const { store, by } = admin;
  const budget = await store.clearBudget({ organizationId: organization.id, name: readName(body), by });
  return presentBudget(budget);
}

/**
 * Reads usage: of the whole organization for owners, admins and the operator, of the member's own keys for a member.
 */
export async function readUsage({ services, principal, organization, request }: OrganizationRequest) {
  const filter = readUsageFilter(request, "organization");
  const of = { organizationId: organization.id, ...filter };
  if (principal.standing.role !== "member") return presentRows(await services.store.readUsage(of), filter.by);
  const member = memberOf(principal);
  // A token with the role member belongs to no member, so it has no keys.
  if (member === null) return presentRows([], filter.by);
  return presentRows(await services.store.readUsage({ ...of, memberId: member.id }), filter.by);
}

/** Reads the usage of all organizations, for the operator. */
export async function readAllUsage({ services, request }: AuthorizedRequest) {
  const filter = readUsageFilter(request, "platform");
  return presentRows(await services.store.readUsage({ organizationId: null, ...filter }), filter.by);
}

function readUsageFilter(request: ManageRequest, scope: UsageScope) {
  const query = request.readQuery();
  const by = readGroupings(query.get("by"), scope);
  const fromDay = readDayOf("from", query.get("from"));
  const toDay = readDayOf("to", query.get("to"));
  if (fromDay !== null && toDay !== null && fromDay > toDay) throw invalidInput("from", "from is later than to.");
  // One more than there may be, which tells that there are too many.
  return { by, fromDay, toDay, limit: USAGE_ROWS_MAX + 1 };
}

function presentRows(rows: readonly UsageRow[], by: readonly UsageGrouping[]) {
  if (rows.length > USAGE_ROWS_MAX) {
    throw invalidInput("by", `There are more than ${USAGE_ROWS_MAX} rows: ask for fewer days or coarser groups.`);
  }
  return { data: rows.map((row) => presentUsage(row, by)) };
}

function readName(request: BodyOf<"clearBudget">): BudgetName {
  const name = readBudgetName(request);
  if ("wrong" in name) throw invalidInput("scope", name.wrong);
  return name;
}

function readGroupings(text: string | undefined, scope: UsageScope): readonly UsageGrouping[] {
  if (text === undefined) return [];
  const groupings = readUsageGroupings(text, scope);
  if (groupings !== null) return groupings;
  throw invalidInput("by", `by is ${quote(text)}; allowed: ${describeUsageGroupings(scope)}.`);
}

function readDayOf(param: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const day = readDay(text);
  if (day === null)
    throw invalidInput(param, `${param} is ${quote(text)}; allowed: a day as YYYY-MM-DD, 1970 or later.`);
  return day;
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}
