// Operations that everyone may use.
import { presentModel } from "../accounts/present.ts";
import type { AuthorizedRequest, Operations } from "./authorized-request.ts";

/** The operations of the scope `self`. */
export const SELF_OPERATIONS: Operations<"self", AuthorizedRequest, object> = {
  listModels: async ({ services }) => ({ data: services.offer().catalog.models.map(presentModel) }),
};
