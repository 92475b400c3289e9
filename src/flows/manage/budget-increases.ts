// What holders of keys ask for beyond their budgets, as owners and admins answer it.
import { notFound } from "../../contract/errors.ts";
import type { BodyOf } from "../../contract/manage/bodies.ts";
import { readAmount } from "../accounts/organizations.ts";
import { presentBudgetNow, presentIncrease } from "../accounts/present-spending.ts";
import type { OrganizationRequest } from "./authorized-request.ts";

export async function listIncreases({ services, organization }: OrganizationRequest) {
  const increases = await services.store.listIncreases({ organizationId: organization.id });
  return { data: increases.map(presentIncrease) };
}

export async function grantIncrease(authorized: OrganizationRequest, { amount }: BodyOf<"grantIncrease">) {
  const { services, admin } = authorized;
  const grant = { ...named(authorized), amountNano: readAmount("amount", amount), by: admin.by };
  const budget = await services.store.grantIncrease(grant);
  if (budget === null) throw notFound();
  return presentBudgetNow(budget, services.clock.nowMs());
}

export async function declineIncrease(authorized: OrganizationRequest) {
  const { services, admin } = authorized;
  if ((await services.store.declineIncrease({ ...named(authorized), by: admin.by })) === null) throw notFound();
  return { done: true };
}

/** The request in the path. */
function named({ organization, request }: OrganizationRequest) {
  return { organizationId: organization.id, id: request.params["increase_id"] ?? "" };
}
