// Further names of models: `aliases` in turngate.yaml. docs/configuration.md
import { indexModels } from "../core/models/model-names.ts";
import { nearModels } from "../core/models/near-models.ts";
import { OperatorError } from "../../packages/kit/operator-error.ts";

/** Names, and the model or the other alias that each stands for. */
export type Aliases = Readonly<Record<string, string>>;

/**
 * The aliases of each model, by its id. Throws an OperatorError for an alias that is a model's id, that leads back to
 * itself, or that leads to no model.
 */
export function resolveAliases(
  aliases: Aliases,
  models: readonly { readonly id: string }[],
  file: string | null,
): ReadonlyMap<string, readonly string[]> {
  const ids = new Set(models.map(({ id }) => id));
  const names = indexModels(models);
  const faultOf = (alias: string, predicate: string) =>
    new OperatorError(`${file ?? "the configuration"}: aliases.${alias} ${predicate}`);
  const resolved = Object.keys(aliases).map((alias) => {
    if (ids.has(alias)) throw faultOf(alias, "is the id of a model, which keeps its name.");
    const way = [alias];
    let name = aliases[alias] ?? "";
    for (; Object.hasOwn(aliases, name) && !way.includes(name); name = aliases[name] ?? "") way.push(name);
    if (way.includes(name)) throw faultOf(alias, `leads back to itself: ${[...way, name].join(" → ")}.`);
    const model = names.find(name);
    if (model === undefined) {
      const near = nearModels(name, models);
      const hint = near.length === 0 ? "`turngate models list` lists all" : `did you mean ${near.join(" or ")}?`;
      throw faultOf(alias, `names "${name}", which is neither a model nor an alias: ${hint}`);
    }
    return { alias, id: model.id };
  });
  const byModel = Map.groupBy(resolved, ({ id }) => id);
  return new Map(Array.from(byModel, ([id, group]) => [id, group.map(({ alias }) => alias)]));
}
