// Operations that try a policy on the last month. docs/management.md (Trials)
import type { QueryOf } from "../../contract/manage/queries.ts";
import { readModels } from "../accounts/organizations.ts";
import { tryPolicy as tryModelRules } from "../accounts/trials.ts";
import type { OrganizationRequest } from "./authorized-request.ts";

/** Throws 400 `invalid_input` for a bare name that the catalog lacks. */
export async function tryPolicy(
  { services, admin, organization }: OrganizationRequest,
  { allow_models: allow, deny_models: deny }: QueryOf<"tryPolicy">,
) {
  const { catalog } = services.offer();
  const allowModels = allow === null ? null : readModels("allow_models", namesIn(allow), catalog);
  const denyModels = readModels("deny_models", namesIn(deny ?? ""), catalog);
  return tryModelRules(admin, organization.id, { allowModels, denyModels });
}

function namesIn(list: string): readonly string[] {
  return list === "" ? [] : list.split(",");
}
