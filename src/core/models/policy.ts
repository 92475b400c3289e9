// Reads the models of a model policy. @spec authentication
import { type Catalog, MODEL_ID_PATTERN } from "./catalog.ts";

const MODEL_ID = new RegExp(MODEL_ID_PATTERN);

/** The rules of a policy about models, by their full ids. */
export interface ModelRules {
  /** Null: all. */
  readonly allowModels: readonly string[] | null;
  readonly denyModels: readonly string[];
}

/** Whether turns on a model are allowed; a denied model is not, even if it is on the list of allowed ones. */
export function allowsModel({ allowModels, denyModels }: ModelRules, id: string): boolean {
  return (allowModels === null || allowModels.includes(id)) && !denyModels.includes(id);
}

/** Full ids of the models of a rule, and those that are not in the catalog. */
export interface PolicyModels {
  readonly ids: readonly string[];
  readonly unknown: readonly string[];
}

/**
 * Reads the models that a policy allows or denies, each by its full id or bare form. A full id may be missing from the
 * catalog, because a provider that is switched off may still be denied. A bare form must be known: a mistyped one would
 * silently allow or deny nothing. `wrong` is the error message.
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
