// A page of an organization's transfers, newest first.
import { TRANSFERS_READ_MAX } from "../../contract/manage/limits.ts";
import type { QueryOf } from "../../contract/manage/queries.ts";
import { presentTransfer } from "../accounts/present-spending.ts";
import type { ReadRequest } from "./authorized-request.ts";

/** Lists transfers, or top-ups only. */
export async function listTransfers(
  { services, organization }: Pick<ReadRequest<"store">, "services" | "organization">,
  { kind, limit, before }: QueryOf<"listTransfers">,
) {
  const page = { organizationId: organization.id, only: kind, before, limit, readsMax: TRANSFERS_READ_MAX };
  const { transfers, next } = await services.store.listTransfers(page);
  return { data: transfers.map(presentTransfer), has_more: next !== null, older: next };
}
