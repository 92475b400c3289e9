// Operations on an organization's budgets.
import { invalidInput } from "../../contract/errors.ts";
import type { BodyOf } from "../../contract/manage/bodies.ts";
import { type BudgetName, readBudgetName } from "../../core/money/budgets.ts";
import { presentBudgetNow } from "../accounts/present-spending.ts";
import { readAmount } from "../accounts/organizations.ts";
import type { OrganizationRequest } from "./authorized-request.ts";

/** Lists all budgets, each in its current period. */
export async function listBudgets({ services, organization }: OrganizationRequest) {
  const budgets = await services.store.listBudgets({ organizationId: organization.id });
  return { data: budgets.map((budget) => presentBudgetNow(budget, services.clock.nowMs())) };
}

/** Sets the limit of a budget. Throws 400 `invalid_input` (`scope`, `limit`). */
export async function setBudget({ admin, organization }: OrganizationRequest, body: BodyOf<"setBudget">) {
  const { limit, ...request } = body;
  const limitNano = readAmount("limit", limit);
  const { store, by, clock } = admin;
  const budget = await store.setBudget({ organizationId: organization.id, name: readName(request), limitNano, by });
  return presentBudgetNow(budget, clock.nowMs());
}

/** Raises a budget until a time. Throws 400 `invalid_input` (`scope`, `amount`). */
export async function raiseBudget({ admin, organization }: OrganizationRequest, body: BodyOf<"raiseBudget">) {
  const { amount, until, ...request } = body;
  const raise = { amountNano: readAmount("amount", amount), untilMs: until * 1000 };
  const { store, by, clock } = admin;
  const budget = await store.raiseBudget({ organizationId: organization.id, name: readName(request), raise, by });
  return presentBudgetNow(budget, clock.nowMs());
}

/** Removes a budget. Throws 400 `invalid_input` (`scope`). */
export async function clearBudget({ admin, organization }: OrganizationRequest, body: BodyOf<"clearBudget">) {
  const { store, by, clock } = admin;
  const budget = await store.clearBudget({ organizationId: organization.id, name: readName(body), by });
  return presentBudgetNow(budget, clock.nowMs());
}

/** The name of a budget. Throws 400 `invalid_input` (`scope`). */
export function readName(request: Parameters<typeof readBudgetName>[0]): BudgetName {
  const name = readBudgetName(request);
  if ("wrong" in name) throw invalidInput("scope", name.wrong);
  return name;
}
