// Access by role. Which roles may use a route is part of its definition. @spec authentication
import type { ManageRole, ManageScope } from "../../contract/manage/roles.ts";

/** The role of a principal and where it counts. The operator belongs to no organization. */
export interface RoleScope {
  readonly role: ManageRole;
  readonly organizationId: string | null;
}

/** `hidden`: the organization must look nonexistent (404); `denied`: the role is not sufficient (403). */
export type Access = "granted" | "hidden" | "denied";

/** Decides access to a route; `organizationId` is the one in its path, or null. */
export function decideAccess(
  route: { readonly scope: ManageScope; readonly roles: readonly ManageRole[] },
  roleScope: RoleScope,
  organizationId: string | null,
): Access {
  const isStranger = roleScope.role !== "operator" && roleScope.organizationId !== organizationId;
  if (route.scope === "organization" && isStranger) return "hidden";
  return route.roles.includes(roleScope.role) ? "granted" : "denied";
}

/** Whether a role may add, change or remove a member of another role: only owners (and the operator) manage owners. */
export function mayHandle(role: ManageRole, other: Exclude<ManageRole, "operator">): boolean {
  if (role === "operator" || role === "owner") return true;
  return role === "admin" && other !== "owner";
}
