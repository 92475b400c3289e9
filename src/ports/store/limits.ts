// Limits of organizations and of keys, and their names outside the program: in the interface, the accounts file and the
// audit log.

/** An organization's own limits; null: the service's default applies. */
export interface OrganizationLimits {
  readonly createPerMinute: number | null;
  readonly retrievePerMinute: number | null;
  readonly deletePerMinute: number | null;
  /** Tokens of input and output; null: as many as there are. */
  readonly tokensPerMinute: number | null;
  readonly openStreams: number | null;
  /** Responses at once on each node, running and queued ones. */
  readonly concurrentResponses: number | null;
}

/** The limits of an organization without its own. */
export const NO_LIMITS: OrganizationLimits = {
  createPerMinute: null,
  retrievePerMinute: null,
  deletePerMinute: null,
  tokensPerMinute: null,
  openStreams: null,
  concurrentResponses: null,
};

/** A key's own limits, within its organization's; null: the organization's alone. */
export interface KeyLimits extends Omit<OrganizationLimits, "openStreams"> {
  readonly allowModels: readonly string[] | null;
}

/** The limits of a key without its own. */
export const NO_KEY_LIMITS: KeyLimits = {
  allowModels: null,
  createPerMinute: null,
  retrievePerMinute: null,
  deletePerMinute: null,
  tokensPerMinute: null,
  concurrentResponses: null,
};

/** The limits of an organization, each name with the field that it stands for. */
export const LIMIT_NAMES = {
  create_per_minute: "createPerMinute",
  retrieve_per_minute: "retrievePerMinute",
  delete_per_minute: "deletePerMinute",
  tokens_per_minute: "tokensPerMinute",
  open_streams: "openStreams",
  concurrent_turns: "concurrentResponses",
} as const satisfies Readonly<Record<string, keyof OrganizationLimits>>;

/** The same of a key. */
const KEY_LIMIT_NAMES = {
  allow_models: "allowModels",
  create_per_minute: "createPerMinute",
  retrieve_per_minute: "retrievePerMinute",
  delete_per_minute: "deletePerMinute",
  tokens_per_minute: "tokensPerMinute",
  concurrent_turns: "concurrentResponses",
} as const satisfies Readonly<Record<string, keyof KeyLimits>>;

type Named<Names extends Readonly<Record<string, string>>, Limits> = {
  [Name in keyof Names]: Names[Name] extends keyof Limits ? Limits[Names[Name]] : never;
};
type NamedLimits = Named<typeof LIMIT_NAMES, OrganizationLimits>;
type NamedKeyLimits = Named<typeof KEY_LIMIT_NAMES, KeyLimits>;
/** What is given of limits. */
type Given<Limits> = { readonly [Name in keyof Limits]?: Limits[Name] | undefined };

/** Limits of an organization under their names, all of them. */
export function nameLimits(limits: OrganizationLimits): NamedLimits {
  return nameFields(LIMIT_NAMES, limits) as NamedLimits;
}

/** The limits that are given under their names. */
export function limitsNamed(given: Given<NamedLimits>): Partial<OrganizationLimits> {
  return fieldsNamed(LIMIT_NAMES, given);
}

/** Limits of a key under their names, all of them. */
export function nameKeyLimits(limits: KeyLimits): NamedKeyLimits {
  return nameFields(KEY_LIMIT_NAMES, limits) as NamedKeyLimits;
}

/** The limits of a key that are given under their names. */
export function keyLimitsNamed(given: Given<NamedKeyLimits>): Partial<KeyLimits> {
  return fieldsNamed(KEY_LIMIT_NAMES, given);
}

function nameFields(names: Readonly<Record<string, string>>, fields: object): object {
  return Object.fromEntries(Object.entries(names).map(([name, field]) => [name, Reflect.get(fields, field)]));
}

function fieldsNamed(names: Readonly<Record<string, string>>, given: object): object {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, field]) => {
      const value: unknown = Reflect.get(given, name);
      return value === undefined ? [] : [[field, value]];
    }),
  );
}
