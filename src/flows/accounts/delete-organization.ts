// Deletes an organization with everything that it has (docs/decisions/organization-deletion.md).
import { invalidInput } from "../../contract/errors.ts";
import type { Organization } from "../../ports/store/accounts.ts";
import type { AdminContext } from "./admin-context.ts";

/**
 * Deletes an organization: its access ends at once, and its content is erased in the background. `confirm` is its name.
 * Repeating it changes nothing. Throws 400 `invalid_input` (`confirm`) for another name.
 */
export async function deleteOrganization(
  { store, by }: Pick<AdminContext, "store" | "by">,
  organization: Organization,
  confirm: string,
): Promise<Organization> {
  const { id, name, deletedAtMs } = organization;
  if (deletedAtMs !== null) return organization;
  if (confirm !== name) {
    throw invalidInput("confirm", "confirm is not the organization's name; allowed: its name, exactly as it is shown.");
  }
  return store.deleteOrganization({ by, organizationId: id });
}
