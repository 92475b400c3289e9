// Chooses the model of a turn, subject to the organization's policy. @spec endpoints/post-responses (model)
import { ApiError, invalidInput } from "../../contract/errors.ts";
import type { Catalog, CatalogModel } from "./catalog.ts";
import { allowsModel, type ModelRules } from "./policy.ts";

/**
 * The model with a full or bare id. Throws 400 param `model`: `invalid_input` if it is missing or not in the catalog,
 * `model_policy_violation` if the policy forbids it.
 */
export function chooseModel(name: string | null, catalog: Catalog, policy: ModelRules): CatalogModel {
  if (name === null) throw invalidInput("model", "model is required on the first turn of a conversation.");
  const model = catalog.find(name);
  if (model === undefined) {
    throw invalidInput(
      "model",
      `The model ${JSON.stringify(name.slice(0, 128))} is not in the catalog: see GET /v1/models.`,
    );
  }
  if (!allowsModel(policy, model.id)) {
    throw new ApiError("model_policy_violation", `Your organization's policy does not allow the model ${model.id}.`, {
      param: "model",
    });
  }
  return model;
}
