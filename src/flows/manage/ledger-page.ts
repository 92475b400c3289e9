// A page of an organization's transfers, newest first.
import { invalidInput } from "../../contract/errors.ts";
import { TRANSFERS_READ_MAX } from "../../contract/manage/limits.ts";
import { presentTransfer } from "../accounts/present-spending.ts";
import type { OrganizationRequest } from "./authorized-request.ts";
import { readPage } from "./paging.ts";

/** Lists transfers, or top-ups only. Throws 400 `invalid_input` for an invalid `kind`, `limit` or `before`. */
export async function listTransfers({ services, organization, request }: OrganizationRequest) {
  const query = request.readQuery();
  const kind = query.get("kind") ?? null;
  if (kind !== null && kind !== "topup") {
    throw invalidInput("kind", `kind is ${JSON.stringify(kind.slice(0, 64))}; allowed: topup.`);
  }
  const { limit, before } = readPage(query);
  const { transfers, next } = await services.store.listTransfers({
    organizationId: organization.id,
    only: kind === null ? null : "topup",
    before,
    limit,
    readsMax: TRANSFERS_READ_MAX,
  });
  return { data: transfers.map(presentTransfer), has_more: next !== null, older: next };
}
