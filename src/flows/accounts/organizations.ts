// Creates organizations, and reads the models of their policies. @spec authentication
import { invalidInput } from "../../contract/errors.ts";
import { readOrganizationName } from "../../core/access/account-fields.ts";
import { readPolicyModels } from "../../core/models/policy.ts";
import type { Catalog } from "../../core/models/catalog.ts";
import type { Organization } from "../../ports/store/accounts.ts";
import { nowSeconds } from "../../ports/clock.ts";
import type { AdminContext } from "./admin-context.ts";

/**
 * Creates an organization without plan, payment method and credits; with an amount of credits it has all three and can
 * be used at once. Throws 400 `invalid_input` for an invalid name.
 */
export function createOrganization(
  admin: AdminContext,
  create: { name: string; creditsNano?: bigint | undefined },
): Promise<Organization> {
  const { store, by, mintAccountId } = admin;
  const { name, creditsNano } = create;
  const made = { by, id: mintAccountId("organization"), name: readOrganizationName(name) };
  const createdAt = nowSeconds(admin.clock);
  if (creditsNano === undefined) return store.createOrganization({ ...made, createdAt });
  const credits = { transactionId: mintAccountId("transaction"), amountNano: creditsNano };
  return store.createOrganization({ ...made, createdAt, credits });
}

/** Resolves the models of a policy to full ids. Throws 400 `invalid_input` for a bare name that the catalog lacks. */
export function readModels(param: string, names: readonly string[], catalog: Pick<Catalog, "find">): readonly string[] {
  const models = readPolicyModels(names, catalog);
  if ("wrong" in models) throw invalidInput(param, `${param}: ${models.wrong}`);
  return models.ids;
}
