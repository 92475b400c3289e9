// Model policies: which models they allow, and the choice of a response's model subject to one.
// @spec authentication, endpoints/post-responses (model)
import { ApiError, invalidInput } from "../../contract/errors.ts";
import { someRuleCovers } from "../access/model-rules.ts";
import { type Catalog, type CatalogModel, MODEL_ID_PATTERN } from "./catalog.ts";
import type { ModelNames } from "./model-names.ts";
import { nearModels } from "./near-models.ts";
import { isWildcard } from "./wildcards.ts";

const MODEL_ID = new RegExp(MODEL_ID_PATTERN);

/** The rules of a policy about models, by their full ids; one that ends in `*` is about all that begin alike. */
export interface ModelRules {
  /** Null: all. */
  readonly allowModels: readonly string[] | null;
  readonly denyModels: readonly string[];
}

/** The rules of a policy, and those of a key about models. */
export interface CallerModels extends ModelRules {
  /** The only models that the key may use; null: all. */
  readonly keyModels: readonly string[] | null;
}

/** Whether turns on a model are allowed; a denied model is not, even if it is on the list of allowed ones. */
export function allowsModel({ allowModels, denyModels }: ModelRules, id: string): boolean {
  return (allowModels === null || someRuleCovers(allowModels, id)) && !someRuleCovers(denyModels, id);
}

/** What an error message shows of an unknown name. */
const NAME_CHARACTERS_MAX = 128;

/**
 * The model with a full or bare id. Throws 400 param `model`: `invalid_input` if it is missing or not in the catalog,
 * `model_policy_violation` if the policy or the key forbids it.
 */
export function chooseModel(name: string | null, catalog: Catalog, rules: CallerModels): CatalogModel {
  if (name === null) throw invalidInput("model", "model is required on the first turn of a conversation.");
  const model = catalog.find(name);
  if (model === undefined || isWildcard(model)) {
    const sent = name.slice(0, NAME_CHARACTERS_MAX);
    const near = nearModels(
      sent,
      catalog.models
        .filter((one) => !isWildcard(one) && allowsModel(rules, one.id) && keyAllows(rules, one.id))
        .flatMap(({ id, aliases = [] }) => [{ id }, ...aliases.map((alias) => ({ id: alias }))]),
    );
    const hint =
      near.length === 0 ? "see GET /v1/models" : `did you mean ${near.join(" or ")}? GET /v1/models lists all`;
    throw invalidInput("model", `The model ${JSON.stringify(sent)} is not in the catalog: ${hint}.`);
  }
  if (!allowsModel(rules, model.id))
    throw violation(`Your organization's policy does not allow the model ${model.id}.`);
  if (!keyAllows(rules, model.id)) throw violation(`This API key may not use the model ${model.id}.`);
  return model;
}

function keyAllows({ keyModels }: CallerModels, id: string): boolean {
  return keyModels === null || someRuleCovers(keyModels, id);
}

function violation(message: string): ApiError {
  return new ApiError("model_policy_violation", message, { param: "model" });
}

/** Full ids of the models of a rule, and those that are not in the catalog. */
export interface PolicyModels {
  readonly ids: readonly string[];
  readonly unknown: readonly string[];
}

/**
 * Reads the models that a policy allows or denies, each by its full id or bare form. A full id may be missing from the
 * catalog, because a provider that is switched off may still be denied. A bare form must be known: a mistyped one would
 * silently allow or deny nothing. A full id that ends in `*` is about all that begin alike. `wrong` is the error message.
 */
export function readPolicyModels(
  names: readonly string[],
  catalog: ModelNames,
): PolicyModels | { readonly wrong: string } {
  const ids = new Set<string>();
  const unknown = new Set<string>();
  for (const name of names) {
    const id = catalog.find(name)?.id;
    if (id === undefined && !MODEL_ID.test(name)) return { wrong: `There is no model "${name}".` };
    ids.add(id ?? name);
    if (id === undefined && !name.endsWith("*")) unknown.add(name);
  }
  return { ids: [...ids], unknown: [...unknown] };
}
