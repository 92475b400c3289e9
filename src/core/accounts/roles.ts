// What a role may do to whom. Which role may use which route is the contract's table. @spec authentication
import type { ManageRole } from "../../contract/manage/roles.ts";
import type { ManageRoute } from "../../contract/manage/routes.ts";

/** Who asks. The operator is of no organization. */
export interface Standing {
  readonly role: ManageRole;
  readonly organizationId: string | null;
}

/** `hidden`: what is asked about is not there for who asks; `denied`: it is, but may not be used so. */
export type Access = "granted" | "hidden" | "denied";

/** Whether somebody may use a route; `organizationId` is the one that its path names, else null. */
export function decideAccess(
  route: Pick<ManageRoute, "scope" | "roles">,
  standing: Standing,
  organizationId: string | null,
): Access {
  const isStranger = standing.role !== "operator" && standing.organizationId !== organizationId;
  if (route.scope === "organization" && isStranger) return "hidden";
  return route.roles.includes(standing.role) ? "granted" : "denied";
}

/** Only an owner makes, unmakes or stands in for owners; an admin does so for everybody else. */
export function mayHandle(role: ManageRole, other: Exclude<ManageRole, "operator">): boolean {
  if (role === "operator" || role === "owner") return true;
  return role === "admin" && other !== "owner";
}
