// Pages of an organization's keys, in the order of their creation.
import { invalidInput } from "../../contract/errors.ts";
import type { QueryOf } from "../../contract/manage/queries.ts";
import type { AccountStore } from "../../ports/store/accounts.ts";
import { presentListedKey } from "../accounts/present.ts";
import { presentPage } from "./paging.ts";

/** Lists a page of keys, of all or of one member. Throws 400 `invalid_input` when `after` names none. */
export async function listKeys(
  store: Pick<AccountStore, "pageKeys">,
  { organizationId, memberId }: { readonly organizationId: string; readonly memberId: string | null },
  { limit, after }: QueryOf<"listKeys">,
) {
  const keys = await store.pageKeys({ organizationId, memberId, after, limit: limit + 1 });
  if (keys === null) throw invalidInput("after", "after names no key of the organization.");
  return presentPage(keys, limit, presentListedKey);
}
