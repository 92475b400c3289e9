// Which models a policy names. @spec authentication
import { type Catalog, MODEL_ID_PATTERN } from "../catalog.ts";

const MODEL_ID = new RegExp(MODEL_ID_PATTERN);

/** The models of a rule by their whole ids, and those of them that the catalog does not have. */
export interface PolicyModels {
  readonly ids: readonly string[];
  readonly unknown: readonly string[];
}

/**
 * Reads the models that a policy allows or denies, each by its id or bare form. A whole id that the catalog does not have is taken as it
 * is: a provider that is off, here or for now, is no reason not to deny its models. A bare form must be known, `wrong` says which is not:
 * it could stand for anything, and a rule about a mistyped one would allow or deny nothing without a word.
 */
export function readPolicyModels(
  names: readonly string[],
  catalog: Pick<Catalog, "find">,
): PolicyModels | { readonly wrong: string } {
  const ids = new Set<string>();
  const unknown = new Set<string>();
  for (const name of names) {
    const id = catalog.find(name)?.id;
    if (id === undefined && !MODEL_ID.test(name)) return { wrong: `There is no model "${name}".` };
    ids.add(id ?? name);
    if (id === undefined) unknown.add(name);
  }
  return { ids: [...ids], unknown: [...unknown] };
}
