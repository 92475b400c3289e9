// The operation that deletes an organization.
import type { BodyOf } from "../../contract/manage/bodies.ts";
import { RUNNING_TURNS_MAX } from "../../contract/manage/limits.ts";
import { deleteOrganization } from "../accounts/delete-organization.ts";
import { presentOrganization } from "../accounts/present.ts";
import type { OrganizationRequest } from "./authorized-request.ts";

/** Deletes an organization and cancels its running turns, here and on other nodes: they would go on costing money. */
export async function serveDeletion(
  { services, admin, organization }: OrganizationRequest,
  { confirm }: BodyOf<"deleteOrganization">,
) {
  const deleted = await deleteOrganization(admin, organization, confirm);
  const { gateway, store } = services;
  const organizationId = organization.id;
  for (const run of gateway.runs.all()) if (run.caller.organizationId === organizationId) run.stop("cancelled");
  const { nodes } = gateway.services;
  if (nodes !== null) {
    const { turns } = await store.listRunning({ organizationId, limit: RUNNING_TURNS_MAX });
    await Promise.all(
      turns.map(({ id, keyId }) => nodes.requestStop({ caller: { organizationId, keyId }, responseId: id })),
    );
  }
  return presentOrganization(deleted);
}
