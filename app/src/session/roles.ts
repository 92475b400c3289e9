// What the app offers to each role. The service checks every request by itself.
import type { Role } from "../api/client.ts";

/** Whether a role may manage the keys, budgets, members, policy and tokens of an organization. */
export function mayManage(role: Role): boolean {
  return role !== "member";
}

/** Whether a role may change the plan, the payment method and the owners of an organization. */
export function mayOwn(role: Role): boolean {
  return role === "operator" || role === "owner";
}

/** The roles that this role may give to members and tokens. */
export function rolesToGive(role: Role): readonly ("owner" | "admin" | "member")[] {
  return mayOwn(role) ? ["member", "admin", "owner"] : ["member", "admin"];
}
