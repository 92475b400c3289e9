// What a role is offered. The service decides by itself, whatever the app offers.
import type { Role } from "../api/client.ts";

/** Manages keys, budgets, members, policy and tokens of an organization. */
export function mayManage(role: Role): boolean {
  return role !== "member";
}

/** Changes what an organization pays by: plan and payment method; its name; owners. */
export function mayOwn(role: Role): boolean {
  return role === "operator" || role === "owner";
}

/** The roles that this role may give to members and tokens. */
export function rolesToGive(role: Role): readonly ("owner" | "admin" | "member")[] {
  return mayOwn(role) ? ["member", "admin", "owner"] : ["member", "admin"];
}
