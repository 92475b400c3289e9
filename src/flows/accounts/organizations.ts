// Organizations: made and renamed; their models and their credits. @spec authentication
import { invalidInput } from "../../contract/errors.ts";
import { readOrganizationName } from "../../core/accounts/account-fields.ts";
import { readCredits } from "../../core/accounts/credits.ts";
import { readPolicyModels } from "../../core/accounts/policy-models.ts";
import type { Catalog } from "../../core/catalog.ts";
import type { Organization } from "../../ports/accounts.ts";
import { nowSeconds } from "../../ports/clock.ts";
import type { Desk } from "./desk.ts";

/** Makes an organization, without plan, payment method and credits. */
export function createOrganization(desk: Desk, name: string): Promise<Organization> {
  const { store, by, mintAccountId } = desk;
  const id = mintAccountId("organization");
  return store.createOrganization({ by, id, name: readOrganizationName(name), createdAt: nowSeconds(desk.clock) });
}

/** Gives an organization another name. */
export function renameOrganization({ store, by }: Desk, organizationId: string, name: string): Promise<Organization> {
  return store.updateOrganization({ by, organizationId, name: readOrganizationName(name) });
}

/** Adds credits. With a transaction id of the caller's a repeated call adds nothing more. */
export function addCredits(
  desk: Desk,
  organizationId: string,
  add: { amountNano: bigint; transactionId?: string | undefined },
): Promise<Organization> {
  const { store, by, mintAccountId } = desk;
  const { amountNano, transactionId = mintAccountId("transaction") } = add;
  return store.addCredits({ by, transactionId, organizationId, amountNano, createdAt: nowSeconds(desk.clock) });
}

/** An amount of credits out of a JSON number, in nano-credits; refuses more decimals than a millionth has. */
export function readAmount(param: string, amount: number): bigint {
  const nano = readCredits(String(amount));
  if (nano === null) throw invalidInput(param, `${param} is ${amount}; allowed: a number down to a millionth.`);
  return nano;
}

/** The whole ids of the models that a policy names; refuses a bare name that the catalog does not know. */
export function readModels(param: string, names: readonly string[], catalog: Pick<Catalog, "find">): readonly string[] {
  const models = readPolicyModels(names, catalog);
  if ("wrong" in models) throw invalidInput(param, `${param}: ${models.wrong}`);
  return models.ids;
}
