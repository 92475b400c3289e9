// The operation that deletes an organization.
import type { BodyOf } from "../../contract/manage/bodies.ts";
import { deleteOrganization } from "../accounts/delete-organization.ts";
import { presentOrganization } from "../accounts/present.ts";
import type { OrganizationRequest } from "./authorized-request.ts";

/**
 * Deletes an organization and cancels its running turns here: they would go on costing money. Other nodes cancel theirs
 * within a second (`flows/upkeep/stop-deleted.ts`).
 */
export async function serveDeletion(
  { services, admin, organization }: OrganizationRequest,
  { confirm }: BodyOf<"deleteOrganization">,
) {
  const deleted = await deleteOrganization(admin, organization, confirm);
  services.gateway.runs.cancelOf(organization.id);
  return presentOrganization(deleted);
}
