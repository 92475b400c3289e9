// The entries of `models` made of LiteLLM's deployments: one for each name, with targets where it has several
// deployments or fallbacks.
import { type Fields, fieldsOf, textOf } from "./litellm-values.ts";
import { isWildcard } from "./wildcards.ts";

/** One entry of model_list. */
export interface Deployment {
  /** In turngate.yaml. */
  readonly provider: string;
  readonly upstreamModel: string;
  /** Of `order`, `weight`, `rpm` and `tpm` those that are numbers. */
  readonly routing: Readonly<Record<string, number>>;
  /** What a target may have of its own. */
  readonly traits: { readonly context_window: number | undefined; readonly prices: object | undefined };
  /** What is the model's. */
  readonly limits: {
    readonly max_output_tokens: number | undefined;
    readonly default_output_tokens: number | undefined;
  };
}

/** What is said of the file: all notes, and what was lost of how turns are routed, a name each. */
export interface Notes {
  readonly notes: string[];
  readonly lost: string[];
}

/** The deployments of each model_name, in the order of the file. */
export type Deployments = ReadonlyMap<string, readonly Deployment[]>;

/** The names that are tried after each name; `*`: after all that have none of their own. */
export type Fallbacks = ReadonlyMap<string, readonly string[]>;

interface Target {
  readonly provider: string;
  readonly upstream_model: string;
  readonly order: number;
  readonly weight: number | undefined;
  readonly context_window: number | undefined;
  readonly prices: object | undefined;
}

/** Makes the entry of each name. Notes the fallbacks that were not carried over. */
export function makeModels(
  deployments: Deployments,
  fallbacks: Fallbacks,
  { notes, lost }: Notes,
): ReadonlyMap<string, Fields> {
  const made = Array.from(deployments, ([name, own]): [string, Fields] => {
    const isWild = isWildcard(name);
    const further = (fallbacks.get(name) ?? fallbacks.get("*") ?? []).filter((other) => other !== name);
    const known = further.filter((other) => !isWild && !isWildcard(other) && deployments.has(other));
    for (const other of further) {
      if (known.includes(other)) continue;
      lost.push(other);
      const reason = isWild
        ? "a wildcard has none here; list the models that need them"
        : `${other} names no model that was carried over`;
      notes.push(`fallbacks of ${name}: ${reason}.`);
    }
    const groups = [own, ...known.map((other) => deployments.get(other) ?? [])];
    const targets = targetsOf(groups);
    const [first] = own;
    const routing = new Set(own.flatMap((one) => Object.keys(one.routing)));
    if (targets.length === 1 && first !== undefined) {
      if (routing.size > 0) notes.push(`${name}: not carried over: ${[...routing].join(", ")}.`);
      return [name, { ...singleOf(name, first), ...(isWild && { id: name }) }];
    }
    const share = shareOf(own);
    if (share === "rpm" || share === "tpm")
      notes.push(`${name}: ${share} of its deployments are shares of its turns here, no limits.`);
    const unused = SHARES.filter((each) => each !== share && routing.has(each));
    if (unused.length > 0) notes.push(`${name}: not carried over: ${unused.join(", ")}.`);
    return [name, { id: name.includes("/") ? name : `pool/${name}`, ...limitsOf(groups.flat()), targets }];
  });
  return new Map(made);
}

/** The `max_output_tokens` that Turngate assumes by default (src/config/model-defaults.ts). */
const UNKNOWN_OUTPUT = 16_384;

/** What every one of the deployments takes: a turn may run at any. */
function limitsOf(deployments: readonly Deployment[]): Fields {
  const lowest = (values: readonly (number | undefined)[]) => {
    const present = values.filter((value) => value !== undefined);
    return present.length === 0 ? undefined : Math.min(...present);
  };
  const usual = lowest(deployments.map(({ limits }) => limits.default_output_tokens));
  const known = lowest(deployments.map(({ limits }) => limits.max_output_tokens));
  const most = known ?? (usual !== undefined && usual > UNKNOWN_OUTPUT ? usual : undefined);
  const windows = deployments.map(({ traits }) => traits.context_window);
  const max_output_tokens = most === undefined ? undefined : lowest([most, ...windows]);
  return {
    max_output_tokens,
    default_output_tokens: usual === undefined ? undefined : lowest([usual, max_output_tokens]),
  };
}

function singleOf(name: string, deployment: Deployment): Fields {
  const { provider, upstreamModel, traits } = deployment;
  const id = name.startsWith(`${provider}/`) ? name : `${provider}/${name}`;
  return { id, provider, upstream_model: upstreamModel, ...limitsOf([deployment]), ...traits };
}

/** The targets of groups that are tried one after the other. A deployment that comes twice is tried the first time. */
function targetsOf(groups: readonly (readonly Deployment[])[]): readonly Target[] {
  const targets: Target[] = [];
  let before = 0;
  for (const group of groups) {
    const weights = weightsOf(group);
    for (const [at, { provider, upstreamModel, routing, traits }] of group.entries()) {
      if (targets.some((one) => one.provider === provider && one.upstream_model === upstreamModel)) continue;
      const order = before + Math.max(1, routing["order"] ?? 1);
      targets.push({ provider, upstream_model: upstreamModel, order, weight: weights[at], ...traits });
    }
    before = Math.max(before, ...targets.map(({ order }) => order));
  }
  return targets;
}

/** What LiteLLM may share turns by, in its order. */
const SHARES = ["weight", "rpm", "tpm"];

/** By which of them a group shares its turns: LiteLLM looks at the first deployment alone. Undefined: equally. */
function shareOf([first]: readonly Deployment[]): string | undefined {
  return SHARES.find((name) => first?.routing[name] !== undefined);
}

/** Whole numbers. A deployment without the number gets no turns while others can run them, as in LiteLLM. */
function weightsOf(group: readonly Deployment[]): readonly (number | undefined)[] {
  const name = shareOf(group);
  if (name === undefined) return group.map(() => undefined);
  const weights = group.map(({ routing }) => routing[name] ?? 0);
  return weights.every(Number.isInteger) ? weights : weights.map((value) => Math.round(value * 1000));
}

/** Reads the fallbacks of the sections: lists of `{name: [names]}`, and the default of all. Notes those that serve for more here. */
export function readFallbacks(sections: readonly Fields[], notes: string[]): Fallbacks {
  const found = new Map<string, string[]>();
  const add = (name: string, names: unknown, isOfWindow = false) => {
    const texts = listOf(names).map((one) => textOf(one) || textOf(fieldsOf(one)["model"]));
    const before = found.get(name) ?? [];
    const further = texts.filter((text) => text !== "" && !before.includes(text));
    if (isOfWindow && further.length > 0)
      notes.push(
        `context_window_fallbacks of ${name}: after a rate limit too turns go to ${further.join(", ")}; compare the prices.`,
      );
    found.set(name, [...before, ...further]);
  };
  const addAll = (key: string, isOfWindow = false) => {
    for (const entry of sections.flatMap((section) => listOf(section[key])))
      for (const [name, names] of Object.entries(fieldsOf(entry))) add(name, names, isOfWindow);
  };
  addAll("fallbacks");
  addAll("context_window_fallbacks", true);
  for (const section of sections)
    if (section["default_fallbacks"] !== undefined) add("*", section["default_fallbacks"]);
  return found;
}

/** The keys of sections that are read here. */
export const FALLBACK_KEYS = ["fallbacks", "context_window_fallbacks", "default_fallbacks"];

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
