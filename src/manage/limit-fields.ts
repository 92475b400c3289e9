// Fields of the rules of organizations and keys.
import Type from "typebox";
import { invalidInput } from "../contract/errors.ts";
import { orNull } from "../contract/shapes.ts";
import { ruleCovers } from "../core/access/model-rules.ts";
import type { ModelNames } from "../core/models/model-names.ts";
import { readPolicyModels } from "../core/models/policy.ts";
import { text } from "./fields.ts";
import { listModels } from "./models.ts";
import type { CallOperation } from "./definition/operation.ts";

/** An integer, or null for the default. */
export const countOrNull = (minimum: number, description: string) =>
  Type.Optional(orNull(Type.Integer({ minimum, maximum: 1_000_000_000 }), { description }));

export const modelIds = Type.Array(
  text(
    "a model, by its id or bare form; a full id is accepted even if the catalog does not have the model (yet); `provider/*`: all whose ids begin so",
  ),
  { maxItems: 500 },
);

/** Resolves the models of a rule to full ids. Throws 400 `invalid_input` for a bare name that the catalog lacks. */
export function readModels(param: string, names: readonly string[], catalog: ModelNames): readonly string[] {
  const models = readPolicyModels(names, catalog);
  if ("wrong" in models) throw invalidInput(param, `${param}: ${models.wrong}`);
  return models.ids;
}

/** A warning for each model of a rule, by its full id, that the catalog does not have. */
export async function unknownModels(names: readonly string[], call: CallOperation): Promise<readonly string[]> {
  const ids = names.filter((id) => id.includes("/"));
  if (ids.length === 0) return [];
  const { data: known } = await call(listModels, {});
  const unknown = [...new Set(ids)].filter((rule) => !known.some(({ id }) => ruleCovers(rule, id)));
  return unknown.map((id) => `the catalog has no model "${id}"; the rule applies once it does.`);
}
