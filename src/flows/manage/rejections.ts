// Operations that say why a request was rejected, by which figures, and what would let it through.
import { notFound } from "../../contract/errors.ts";
import type { QueryOf } from "../../contract/manage/queries.ts";
import { REQUEST_ID_CHARACTERS_MAX } from "../../contract/manage/rejection-limits.ts";
import { explainRejection, presentRejection } from "../accounts/present-rejections.ts";
import type { OrganizationRequest, ReadRequest } from "./authorized-request.ts";
import { presentPage } from "./paging.ts";
import { readableMember } from "./principal.ts";

/**
 * A page of rejected requests, newest first: of the whole organization for owners, admins and the operator, of their
 * own keys for members.
 */
export async function listRejections(
  { services, principal, organization }: ReadRequest<"store">,
  { limit, before }: QueryOf<"listRejections">,
) {
  const memberId = readableMember(principal);
  if (memberId === undefined) return { data: [], has_more: false };
  const query = { organizationId: organization.id, memberId, before, limit: limit + 1 };
  const rejections = await services.store.listRejections(query);
  return presentPage(rejections, limit, presentRejection);
}

/** Why one request was rejected, for the same readers. Throws 404 when none of that id is kept for them. */
export async function showRejection({ services, principal, organization, request }: OrganizationRequest) {
  const memberId = readableMember(principal);
  const requestId = request.params["request_id"] ?? "";
  if (memberId === undefined || requestId.length > REQUEST_ID_CHARACTERS_MAX) throw notFound();
  const of = { organizationId: organization.id, memberId, requestId };
  const rejection = await services.store.findRejection(of);
  if (rejection === null) throw notFound();
  const standing = await services.store.readKeyStanding({
    caller: { organizationId: organization.id, keyId: rejection.keyId },
  });
  return explainRejection(rejection, { organization, standing, limits: services.limits });
}
