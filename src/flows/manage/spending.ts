// Budgets and usage of an organization.
import { invalidInput } from "../../contract/errors.ts";
import type { BodyOf } from "../../contract/manage/bodies.ts";
import { USAGE_GROUPINGS, type UsageGrouping } from "../../contract/spending.ts";
import { readDay } from "../../core/accounts/billing-day.ts";
import { type BudgetName, readBudgetName } from "../../core/accounts/budgets.ts";
import { showBudget, showUsage } from "../accounts/spending-shapes.ts";
import { readAmount } from "../accounts/organizations.ts";
import type { ManageReply, OrganizationVisit } from "./visit.ts";

/** All budgets, each in its current period. */
export async function listBudgets({ world, organization }: OrganizationVisit): Promise<ManageReply> {
  const budgets = await world.store.listBudgets({ organizationId: organization.id });
  return { body: { data: budgets.map(showBudget) } };
}

/** Sets the limit of a budget. */
export async function setBudget({ desk, organization }: OrganizationVisit, body: BodyOf<"setBudget">) {
  const { limit, ...request } = body;
  const limitNano = readAmount("limit", limit);
  const { store, by } = desk;
  const budget = await store.setBudget({ organizationId: organization.id, name: readName(request), limitNano, by });
  return { body: showBudget(budget) };
}

/** Takes a budget away. */
export async function clearBudget({ desk, organization }: OrganizationVisit, body: BodyOf<"clearBudget">) {
  const { store, by } = desk;
  const budget = await store.clearBudget({ organizationId: organization.id, name: readName(body), by });
  return { body: showBudget(budget) };
}

/** What was used: of everybody for owners, admins and the operator, for a member of the member's own keys alone. */
export async function readUsage({ world, visitor, organization, request }: OrganizationVisit): Promise<ManageReply> {
  const query = request.readQuery();
  const by = readGrouping(query.get("by"));
  const fromDay = readDayOf("from", query.get("from"));
  const toDay = readDayOf("to", query.get("to"));
  if (fromDay !== null && toDay !== null && fromDay > toDay) throw invalidInput("from", "from is a later day than to.");
  const asked = { organizationId: organization.id, by, fromDay, toDay };
  const { standing, session } = visitor;
  if (standing.role !== "member") return showRows(await world.store.readUsage(asked), by);
  // A token with a member's role is no member: it has no keys.
  if (session === null) return showRows([], by);
  return showRows(await world.store.readUsage({ ...asked, memberId: session.member.id }), by);
}

function showRows(
  rows: Awaited<ReturnType<OrganizationVisit["world"]["store"]["readUsage"]>>,
  by: UsageGrouping | null,
) {
  return { body: { data: rows.map((row) => showUsage(row, by)) } };
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
    throw invalidInput(param, `${param} is ${quote(text)}; allowed: a day as YYYY-MM-DD, from 1970 on.`);
  return day;
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}
