// Chooses the model of a turn, subject to the organization's policy. @spec endpoints/post-responses (model)
import { ApiError, invalidInput } from "../../contract/errors.ts";
import type { Catalog, CatalogModel } from "./catalog.ts";
import { nearModels } from "./near-models.ts";
import { allowsModel, type ModelRules } from "./policy.ts";

/** What an error message shows of an unknown name. */
const NAME_CHARACTERS_MAX = 128;

/**
 * The model with a full or bare id. Throws 400 param `model`: `invalid_input` if it is missing or not in the catalog,
 * `model_policy_violation` if the policy forbids it.
 */
export function chooseModel(name: string | null, catalog: Catalog, policy: ModelRules): CatalogModel {
  if (name === null) throw invalidInput("model", "model is required on the first turn of a conversation.");
  const model = catalog.find(name);
  if (model === undefined) {
    const sent = name.slice(0, NAME_CHARACTERS_MAX);
    const near = nearModels(
      sent,
      catalog.models.filter(({ id }) => allowsModel(policy, id)),
    );
    const hint =
      near.length === 0 ? "see GET /v1/models" : `did you mean ${near.join(" or ")}? GET /v1/models lists all`;
    throw invalidInput("model", `The model ${JSON.stringify(sent)} is not in the catalog: ${hint}.`);
  }
  if (!allowsModel(policy, model.id)) {
    throw new ApiError("model_policy_violation", `Your organization's policy does not allow the model ${model.id}.`, {
      param: "model",
    });
  }
  return model;
}
