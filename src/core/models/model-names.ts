// Models by the names under which requests and rules know them.

/** A model, as far as its names are concerned. */
interface Identified {
  /** `<provider>/<model>`. */
  readonly id: string;
  /** Its further names. */
  readonly aliases?: readonly string[];
}

export interface ModelNames<Model extends Identified = Identified> {
  /**
   * Finds a model by its id, an alias or, last, its bare form (the part after the first slash); the first model wins
   * among equal bare forms.
   */
  find(name: string): Model | undefined;
}

/** Indexes models in the order of the catalog. `findUnlisted` knows ids that are in no list: those of wildcards. */
export function indexModels<Model extends Identified>(
  models: readonly Model[],
  findUnlisted: (id: string) => Model | undefined = () => undefined,
): ModelNames<Model> {
  const byBare = new Map<string, Model>();
  const byName = new Map<string, Model>();
  for (const model of models) {
    const bare = model.id.slice(model.id.indexOf("/") + 1);
    // A star alone would be the first wildcard of several.
    if (!bare.endsWith("*") && !byBare.has(bare)) byBare.set(bare, model);
  }
  for (const model of models) for (const alias of model.aliases ?? []) byName.set(alias, model);
  // Full ids last, so that no other name hides one.
  for (const model of models) byName.set(model.id, model);
  return { find: (name) => byName.get(name) ?? findUnlisted(name) ?? byBare.get(name) };
}
