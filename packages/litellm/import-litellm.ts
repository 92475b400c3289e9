// turngate.yaml made of a LiteLLM configuration: providers, models with their targets and aliases, prices. What has no
// place in it is listed.
import { parse, stringify } from "yaml";
import { BEDROCK_PARAMS, readBedrock } from "./bedrock.ts";
import { type Fields, fieldsOf, isPrice, readPrices, textOf, variableOf } from "./litellm-values.ts";
import { OperatorError } from "../kit/operator-error.ts";
import { HOST_PARAMS, type Hosted, readHosted, SHARED_PARAMS } from "./hosts.ts";
import { type Deployment, makeModels, readFallbacks } from "./models.ts";
import { createNewVariables, type NewVariables } from "./new-variables.ts";
import { BEDROCK, COMPATIBLE, type LitellmProvider, NATIVE } from "./providers.ts";
import { noteSections, readAliases } from "./sections.ts";
import { faultOfNames, isWildcard, wildcardId } from "./wildcards.ts";

export interface Imported {
  /** The text of turngate.yaml. It contains no secret: keys are names of variables. */
  readonly text: string;
  /** What was not carried over, a sentence each. */
  readonly notes: readonly string[];
  /** How many entries of model_list were carried over, and how many there are. */
  readonly carried: number;
  readonly listed: number;
  /** How many fallbacks, aliases and settings of routing were not carried over. */
  readonly lost: number;
}

interface Draft {
  readonly providers: Map<string, Fields>;
  readonly deployments: Map<string, Deployment[]>;
  readonly notes: string[];
  readonly variables: NewVariables;
  /** Parameters of all models. */
  readonly shared: Fields;
}

/** Keys of `litellm_params` that are read, or that mean nothing here. */
const READ_PARAMS = ["model", "api_key", "api_base", "base_url", "custom_llm_provider", "max_tokens", "drop_params"];
/** Keys that say how deployments of a name share its requests. */
const ROUTING = ["order", "weight", "rpm", "tpm"];
const READ_INFO = ["id", "mode", "max_input_tokens", "max_output_tokens", "max_tokens", "litellm_provider", "db_model"];

/** Reads the text of a LiteLLM file. Throws an OperatorError when it is not one. */
export function importLitellm(name: string, text: string): Imported {
  const file = fieldsOf(parseFile(name, text));
  const { model_list: list, ...sections } = file;
  if (!Array.isArray(list)) throw new OperatorError(`${name} has no model_list: it is not a LiteLLM configuration.`);
  const draft: Draft = {
    providers: new Map(),
    deployments: new Map(),
    notes: [],
    variables: createNewVariables(text),
    shared: Object.fromEntries(SHARED_PARAMS.map((key) => [key, fieldsOf(sections["litellm_settings"])[key]])),
  };
  list.forEach((entry, index) => addModel(draft, fieldsOf(entry), `model_list[${index}]`));
  const router = fieldsOf(sections["router_settings"]);
  const { providers, deployments, notes } = draft;
  const lost: string[] = [];
  const all = { notes, lost };
  const fallbacks = readFallbacks([fieldsOf(sections["litellm_settings"]), router], notes);
  const models = makeModels(deployments, fallbacks, all);
  const aliases = readAliases(models, fieldsOf(router["model_group_alias"]), all);
  noteSections(sections, all);
  // Members that are undefined are not written.
  const made = {
    catalog: "none",
    providers: Object.fromEntries(providers),
    models: [...models.values()],
    aliases: Object.keys(aliases).length === 0 ? undefined : aliases,
  };
  const carried = Array.from(deployments.values(), (group) => group.length).reduce((sum, count) => sum + count, 0);
  const head = `# Made of ${name} by \`turngate config import\`: ${carried} of ${list.length} models.\n`;
  return { text: head + stringify(made), notes, carried, listed: list.length, lost: lost.length };
}

function parseFile(name: string, text: string): unknown {
  try {
    return parse(text, { merge: true });
  } catch (error) {
    // The library quotes the line, which may hold a key.
    const line = error instanceof Error && "linePos" in error ? (error.linePos as { line: number }[])[0]?.line : null;
    throw new OperatorError(`${name}${line === null ? "" : `:${line}`}: invalid YAML.`, { cause: error });
  }
}

function addModel(draft: Draft, entry: Fields, place: string): void {
  const { notes, deployments } = draft;
  const alias = textOf(entry["model_name"]);
  const params = fieldsOf(entry["litellm_params"]);
  const info = fieldsOf(entry["model_info"]);
  const at = `${place}, ${alias}:`;
  const target = textOf(params["model"]);
  const fault = faultOfNames(alias, target);
  if (fault !== null) return void notes.push(`${at} ${fault}`);
  const mode = textOf(info["mode"] ?? "chat");
  if (mode !== "chat" && mode !== "responses") return void notes.push(`${at} the mode ${mode} is not served.`);
  const found = findProvider(draft, target, params, at);
  if (found === null) return;
  const limit = (value: unknown) => (Number.isSafeInteger(value) && Number(value) > 0 ? (value as number) : undefined);
  const all = { ...info, ...params };
  const name = isWildcard(alias) ? wildcardId(alias, found.name) : alias;
  const group = deployments.get(name) ?? [];
  if (isWildcard(name) && group.length > 0)
    return void notes.push(`${at} ${name} is there already; a wildcard has one provider.`);
  if (name !== alias)
    notes.push(`${at} is ${name} here; a name without ${found.name}/ works if the price list has it.`);
  deployments.set(name, group);
  group.push({
    provider: found.name,
    upstreamModel: found.model,
    routing: Object.fromEntries(
      ROUTING.flatMap((key) => {
        const value = params[key];
        return typeof value === "number" && value >= 0 ? [[key, value] as const] : [];
      }),
    ),
    traits: { context_window: limit(info["max_input_tokens"]), prices: readPrices(all) ?? undefined },
    limits: {
      max_output_tokens: limit(info["max_output_tokens"] ?? info["max_tokens"]),
      default_output_tokens: limit(params["max_tokens"]),
    },
  });
  const read = [...READ_PARAMS, ...ROUTING, ...(found.isHosted ? [...HOST_PARAMS, ...BEDROCK_PARAMS] : [])];
  const left = [
    ...Object.keys(params).filter((key) => !read.includes(key) && !isPrice(key)),
    ...Object.keys(info).filter((key) => !READ_INFO.includes(key) && !isPrice(key)),
  ];
  if (left.length > 0) notes.push(`${at} not carried over: ${left.join(", ")}.`);
}

/** The provider of a model, which is added when it is new, and the model's name there. */
function findProvider(draft: Draft, target: string, params: Fields, at: string) {
  const { notes } = draft;
  const slash = target.indexOf("/");
  const prefix = textOf(params["custom_llm_provider"]) || (slash < 0 ? makerOf(target) : target.slice(0, slash));
  const model = target.startsWith(`${prefix}/`) ? target.slice(prefix.length + 1) : target;
  const address = params["api_base"] ?? params["base_url"] ?? null;
  if (prefix === "bedrock") return findBedrock(draft, model, params, at);
  const hosted = readHosted(prefix, model, { ...draft.shared, ...params });
  if (hosted !== null) return addHosted(draft, hosted, { at, prefix, key: params["api_key"] });
  const found = findKnown(prefix, address !== null);
  if (found === null) {
    const what = prefix === "" ? "a model without a provider's prefix" : `the provider ${prefix}`;
    notes.push(`${at} ${what} is not known; if it speaks chat completions, add it with its base_url.`);
    return null;
  }
  const { type, known } = found;
  const origin: Origin = { at, prefix, type, known, address, key: params["api_key"] };
  const settings = {
    type,
    base_url: addressOf(draft, origin),
    api_key: keyOf(draft, origin),
  };
  return { name: nameOf(draft, prefix, settings), model, isHosted: false };
}

/** The provider of a model that a cloud hosts. */
function addHosted(
  draft: Draft,
  { type, model, address, keyVariable, host, secret, bearer, notes }: Hosted,
  { at, prefix, key }: Pick<Origin, "at" | "prefix" | "key">,
) {
  for (const note of notes) draft.notes.push(`${at} ${note}`);
  const origin: Origin = { at, prefix, type, known: { baseUrl: null, apiKey: keyVariable }, address, key };
  const written = Object.entries(host).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [[name, name === secret?.[0] ? hide(draft, at, value, secret) : referenceOf(value)]];
  });
  const byDefault = keyVariable === null ? undefined : `\${${keyVariable}}`;
  const settings = {
    type,
    base_url: addressOf(draft, origin),
    api_key: keyVariable === null || key === undefined ? byDefault : keyOf(draft, origin),
    headers:
      bearer === undefined
        ? undefined
        : { Authorization: `Bearer ${hide(draft, at, bearer, ["azure_ad_token", "AZURE_AD_TOKEN"])}` },
    host: Object.fromEntries(written) as Fields,
  };
  return { name: nameOf(draft, prefix, settings), model, isHosted: true };
}

/** `${NAME}` for a reference to the environment; another text as it is. */
function referenceOf(value: unknown): string {
  const variable = variableOf(value);
  return variable === null ? textOf(value) : `\${${variable}}`;
}

/** `${NAME}` for a secret; one that is written in the file is not repeated. */
function hide(
  { notes, variables }: Draft,
  at: string,
  value: unknown,
  [key, wanted]: readonly [string, string],
): string {
  if (variableOf(value) !== null) return referenceOf(value);
  const name = variables.nameFor(wanted, textOf(value), { isOwn: false });
  notes.push(`${at} ${key} is written in the file; put it into the variable ${name}.`);
  return `\${${name}}`;
}

/** The same for a model of Bedrock. */
function findBedrock(draft: Draft, name: string, params: Fields, at: string) {
  const hosted = readBedrock(name, params, at, draft.notes);
  if (hosted === null) return null;
  const address = params["aws_bedrock_runtime_endpoint"] ?? params["api_base"] ?? null;
  const origin = { at, prefix: "bedrock", type: "anthropic", known: BEDROCK, address, key: params["api_key"] };
  const settings = {
    type: "anthropic",
    host: hosted.host,
    base_url: addressOf(draft, origin),
    api_key: origin.key === undefined ? undefined : keyOf(draft, origin),
  };
  return { name: nameOf(draft, "bedrock", settings), model: hosted.model, isHosted: true };
}

/** The provider that LiteLLM knows a bare name to be of; empty: none. */
function makerOf(model: string): string {
  if (/^(gpt-|chatgpt-|o\d)/.test(model)) return "openai";
  return /^(claude|gemini)-/.exec(model)?.[1]?.replace("claude", "anthropic") ?? "";
}

const ANYWHERE = "openai-compatible";

/** With an address of its own a model may be anywhere: then the type that needs one is meant. */
function findKnown(prefix: string, hasAddress: boolean): { type: string; known: LitellmProvider } | null {
  const native = NATIVE.get(prefix);
  const anywhere = COMPATIBLE.get(prefix);
  if (anywhere !== undefined && (hasAddress || (native === undefined && anywhere.baseUrl !== null)))
    return { type: ANYWHERE, known: anywhere };
  return native === undefined ? null : { type: prefix, known: native };
}

/** Where the provider of a model comes from. */
interface Origin {
  /** The place in the file, for notes. */
  readonly at: string;
  readonly prefix: string;
  /** In turngate.yaml. */
  readonly type: string;
  readonly known: LitellmProvider;
  /** Null: the provider's own address. */
  readonly address: unknown;
  readonly key: unknown;
}

/** The address with the path that ours end with. One with a password is not repeated. */
function addressOf({ notes, variables }: Draft, { at, prefix, known, address }: Origin): string | undefined {
  if (address === null) return known.baseUrl ?? undefined;
  const variable = variableOf(address);
  if (variable !== null) return `\${${variable}}${known.path ?? ""}`;
  const text = textOf(address).replace(/\/+$/, "");
  if (text.includes("@")) {
    const name = variables.nameFor(`${prefix}_BASE_URL`, text, { isOwn: true });
    notes.push(`${at} the address holds a password; put one without it into the variable ${name}.`);
    return `\${${name}}`;
  }
  return known.path === undefined || text.endsWith(known.path) ? text : text + known.path;
}

/** `${NAME}` for the key; a key that is written in the file is not repeated. */
function keyOf({ notes, variables }: Draft, origin: Origin): string | undefined {
  const { at, prefix, type, known, address, key: given } = origin;
  const variable = variableOf(given) ?? known.apiKey;
  if (given === undefined) {
    if (address !== null && variable !== null)
      notes.push(`${at} the file has no key for this address: ${variable} is sent there, as LiteLLM does.`);
    // A type of its own reads this variable by itself.
    return variable === null || type !== ANYWHERE ? undefined : `\${${variable}}`;
  }
  if (variableOf(given) !== null) return `\${${variable}}`;
  const name = variables.nameFor(known.apiKey ?? `${prefix}_API_KEY`, textOf(given), { isOwn: address !== null });
  notes.push(`${at} the key is written in the file; put it into the variable ${name}.`);
  return `\${${name}}`;
}

/** The name of the provider with these settings: its prefix, and a number for each further address or key. */
function nameOf({ providers }: Draft, prefix: string, settings: Fields): string {
  const base = prefix.toLowerCase();
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    const taken = providers.get(name);
    if (taken !== undefined && JSON.stringify(taken) !== JSON.stringify(settings)) continue;
    providers.set(name, settings);
    return name;
  }
}
