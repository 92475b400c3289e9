// Wildcards: models whose id ends in `*`, which stands for any name at their provider. docs/configuration.md
/** What the entry of a wildcard leaves to the price list, and which names it takes. */
export interface Wildcard {
  readonly listsPrices: boolean;
  readonly listsSizes: boolean;
  /** Whether names at its provider may have slashes. */
  readonly takesSlash: boolean;
}

/** The id of a model and the provider's name for it. */
interface Named {
  readonly id: string;
  readonly upstreamModel: string;
}

/** A model, as far as it is named. */
interface NamedModel extends Named {
  readonly wildcard?: Wildcard;
}

/** Longest name in place of a star, characters. */
const NAME_CHARACTERS_MAX = 128;
/** Begins with a letter, a digit or `@`. No name climbs in a path: a dot never follows a slash, nor a slash a slash. */
const NAME = /^[A-Za-z0-9@][A-Za-z0-9_:@+~-]*(?:[./][A-Za-z0-9_:@+~-]+)*$/;
/** Names that are remembered; then they are made again. */
const NAMED_MAX = 1000;

/** Whether a model stands for many. */
export function isWildcard({ wildcard }: Pick<NamedModel, "wildcard">): boolean {
  return wildcard !== undefined;
}

/** Whether a text may stand in place of a star: at a provider whose names have no slash, one without. */
export function isModelName(name: string, takesSlash: boolean): boolean {
  return name.length <= NAME_CHARACTERS_MAX && NAME.test(name) && (takesSlash || !name.includes("/"));
}

/**
 * What `make` makes of ids that wildcards take: it gets the wildcard, and the id and the upstream name with the rest in
 * place of the star. Of several wildcards the one with the longest id takes it. The newest names are remembered.
 */
export function createNaming<Model extends NamedModel, Made>(
  models: readonly Model[],
  make: (wildcard: Model, named: Named) => Made,
): (id: string) => Made | undefined {
  const wildcards = models.filter(isWildcard).toSorted((one, other) => other.id.length - one.id.length);
  const known = new Map<string, Made>();
  return (id) => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const wildcard = wildcards.find((one) => id.startsWith(one.id.slice(0, -1)));
    if (wildcard?.wildcard === undefined) return undefined;
    const rest = id.slice(wildcard.id.length - 1);
    if (!isModelName(rest, wildcard.wildcard.takesSlash)) return undefined;
    const made = make(wildcard, { id, upstreamModel: wildcard.upstreamModel.slice(0, -1) + rest });
    if (known.size >= NAMED_MAX) known.clear();
    known.set(id, made);
    return made;
  };
}
