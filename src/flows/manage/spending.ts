// Operations on an organization's budgets and usage.
import { invalidInput } from "../../contract/errors.ts";
import type { BodyOf } from "../../contract/manage/bodies.ts";
import { USAGE_GROUPINGS, type UsageGrouping } from "../../contract/money.ts";
import { readDay } from "../../core/money/billing-day.ts";
import { type BudgetName, readBudgetName } from "../../core/money/budgets.ts";
import { presentBudget, presentUsage } from "../accounts/present-spending.ts";
import { readAmount } from "../accounts/organizations.ts";
import type { OrganizationRequest } from "./authorized-request.ts";
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

export async function clearBudget({ admin, organization }: OrganizationRequest, body: BodyOf<"clearBudget">) {
  const { store, by } = admin;
  const budget = await store.clearBudget({ organizationId: organization.id, name: readName(body), by });
  return presentBudget(budget);
}

/**
 * Reads usage: of the whole organization for owners, admins and the operator, of the member's own keys for a member.
 */
export async function readUsage({ services, principal, organization, request }: OrganizationRequest) {
  const query = request.readQuery();
  const by = readGrouping(query.get("by"));
  const fromDay = readDayOf("from", query.get("from"));
  const toDay = readDayOf("to", query.get("to"));
  if (fromDay !== null && toDay !== null && fromDay > toDay) throw invalidInput("from", "from is later than to.");
  const filter = { organizationId: organization.id, by, fromDay, toDay };
  const member = memberOf(principal);
  if (principal.standing.role !== "member") return presentRows(await services.store.readUsage(filter), by);
  // A token with the role member belongs to no member, so it has no keys.
  if (member === null) return presentRows([], by);
  return presentRows(await services.store.readUsage({ ...filter, memberId: member.id }), by);
}

function presentRows(
  rows: Awaited<ReturnType<OrganizationRequest["services"]["store"]["readUsage"]>>,
  by: UsageGrouping | null,
) {
  return { data: rows.map((row) => presentUsage(row, by)) };
}

function readName(request: BodyOf<"clearBudget">): BudgetName {
  const name = readBudgetName(request);
  if ("wrong" in name) throw invalidInput("scope", name.wrong);
  return name;
}

function readGrouping(text: string | undefined): UsageGrouping | null {
  if (text === undefined) return null;
  const grouping = USAGE_GROUPINGS.find((known) => known === text);
  if (grouping === undefined) {
    throw invalidInput("by", `by is ${quote(text)}; allowed: ${USAGE_GROUPINGS.join(", ")}.`);
  }
  return grouping;
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
