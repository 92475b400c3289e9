// Turns an entry of `models` in turngate.yaml into a model of the catalog: groups spelled out, defaults filled in.
import { MODEL_GROUPS, REASONING_EFFORTS, type Setting } from "../contract/settings.ts";
import type { CatalogModel } from "../core/models/catalog.ts";
import type { PriceTier } from "../core/money/prices.ts";
import type { ProviderFamily } from "../providers/family.ts";
import type { ProviderEntry } from "../providers/registry.ts";
import type { BuiltInModel } from "./built-in-models.ts";
import type { ModelEntry } from "./model-schema.ts";
import { MODEL_DEFAULTS, settingsOf } from "./model-defaults.ts";
import { completePrices, type ListedTraits, toTier } from "./price-list.ts";
import type { OperatorError } from "../../packages/kit/operator-error.ts";
import type { Path } from "../../packages/kit/yaml-file.ts";

/** An entry with all that decides on the model that it becomes. */
export interface EntryContext {
  readonly entry: ModelEntry;
  readonly family: ProviderFamily;
  /** The fields inherited from the built-in model with its id. */
  readonly inherited: Partial<CatalogModel>;
  /** An error about a field of the entry; its name begins the message. */
  faultAt(path: Path, predicate: string): OperatorError;
}

/**
 * The fields that an entry inherits from a built-in model: of its id, or of a target's upstream name. If the provider has another type, settings,
 * thinking and all that depends on the wire come from that type instead. A host has prices of its own.
 */
export function inherit(
  { family, model }: BuiltInModel,
  provider: Pick<ProviderEntry, "family" | "hostSettings">,
): Partial<CatalogModel> {
  const { prices, tiers, ...traits } = model;
  const { contextWindow, maxOutputTokens, defaultOutputTokens, ownedBy, created } = traits;
  const inherited =
    family === provider.family ? traits : { contextWindow, maxOutputTokens, defaultOutputTokens, ownedBy, created };
  if (provider.hostSettings !== undefined) return inherited;
  return { ...inherited, prices, ...(tiers === undefined ? {} : { tiers }) };
}

/** The fields that an entry inherits from the price list: prices only if it names none. */
export function inheritListed({ prices }: ModelEntry, listed: ListedTraits | undefined): Partial<CatalogModel> {
  if (listed === undefined || prices === undefined) return listed ?? {};
  const { contextWindow, maxOutputTokens } = listed;
  return { contextWindow, maxOutputTokens };
}

/** The model of an entry. Throws an OperatorError for settings and numbers that the provider can't take. */
export function readModelEntry(provider: string, context: EntryContext): CatalogModel {
  const { entry, family, inherited } = context;
  checkWireFields(context);
  const tiers = readTiers(context);
  return {
    id: entry.id,
    provider,
    upstreamModel: entry.upstream_model ?? inherited.upstreamModel ?? entry.id.slice(entry.id.indexOf("/") + 1),
    settings: readSettings(context),
    ...readSizes(context),
    thinking:
      entry.thinking === undefined ? (inherited.thinking ?? MODEL_DEFAULTS.thinking) : readThinking(entry.thinking),
    forcedToolChoice: entry.forced_tool_choice ?? inherited.forcedToolChoice ?? MODEL_DEFAULTS.forced_tool_choice,
    hasEndUserField: entry.end_user_field ?? inherited.hasEndUserField ?? family.endUserField === "always",
    ...(entry.replay_reasoning === undefined ? {} : { replaysReasoning: entry.replay_reasoning }),
    ...(entry.prompt_caching === false ? { cachesPrompts: false } : {}),
    ...(entry.strict_tools === false ? { takesStrictTools: false } : {}),
    prices: completePrices(entry.prices === 0 ? {} : { ...inherited.prices, ...entry.prices }),
    ...(tiers.length === 0 ? {} : { tiers }),
    ownedBy: entry.owned_by ?? inherited.ownedBy ?? prefixOf(entry.id),
    created: entry.created ?? inherited.created ?? MODEL_DEFAULTS.created,
  };
}

/** The sizes in tokens: a default or inherited size is reduced to what contains it, a configured one must fit. */
function readSizes({
  entry,
  inherited,
  faultAt,
}: EntryContext): Pick<CatalogModel, "contextWindow" | "maxOutputTokens" | "defaultOutputTokens"> {
  const contextWindow = entry.context_window ?? inherited.contextWindow ?? MODEL_DEFAULTS.context_window;
  const maxOutputTokens =
    entry.max_output_tokens ?? Math.min(inherited.maxOutputTokens ?? MODEL_DEFAULTS.max_output_tokens, contextWindow);
  const defaultOutputTokens =
    entry.default_output_tokens ??
    Math.min(inherited.defaultOutputTokens ?? MODEL_DEFAULTS.default_output_tokens, maxOutputTokens);
  for (const [field, value, bound, boundName] of [
    ["max_output_tokens", maxOutputTokens, contextWindow, "context_window"],
    ["default_output_tokens", defaultOutputTokens, maxOutputTokens, "max_output_tokens"],
  ] as const) {
    if (value > bound) throw faultAt([field], `is ${value}; allowed: at most ${boundName} (${bound}).`);
  }
  return { contextWindow, maxOutputTokens, defaultOutputTokens };
}

function readSettings({ entry, family, inherited, faultAt }: EntryContext): ReadonlySet<Setting> {
  const group = entry.group ?? inherited.settings ?? family.group;
  const settings = new Set(typeof group === "string" ? MODEL_GROUPS[group] : group);
  const supported = settingsOf(family);
  const [unsupported] = settings.difference(new Set(supported));
  if (unsupported === undefined) return settings;
  const fitting = Object.entries(MODEL_GROUPS).filter(([, fits]) => fits.every((one) => supported.includes(one)));
  const groups = fitting.map(([name]) => `${name}, `).join("");
  throw faultAt(
    ["group"],
    `contains ${unsupported}; allowed: ${groups}or a list out of ${supported.join(", ")}, since providers of type ${family.type} take no other setting.`,
  );
}

/** Throws for a field that the wire of the provider's type does not have. */
function checkWireFields({ entry, family, faultAt }: EntryContext): void {
  const { thinking, end_user_field, replay_reasoning, prompt_caching, strict_tools } = entry;
  if (typeof thinking === "number" && !family.hasThinkingBudget) {
    throw faultAt(
      ["thinking"],
      `is ${thinking}; allowed: none or an effort (${REASONING_EFFORTS.slice(1).join(", ")}), since providers of type ${family.type} take no budget.`,
    );
  }
  if (end_user_field === true && family.endUserField === "never") {
    throw faultAt(
      ["end_user_field"],
      `is true; allowed: false, since providers of type ${family.type} take no end user.`,
    );
  }
  if (replay_reasoning !== undefined && !family.hasReplayReasoning) {
    throw faultAt(
      ["replay_reasoning"],
      `is ${replay_reasoning}; remove it, since it does not apply to providers of type ${family.type}.`,
    );
  }
  if (prompt_caching === false && !family.hasCachingSwitch) {
    throw faultAt(
      ["prompt_caching"],
      `is false; remove it, since providers of type ${family.type} have no way to turn caching off.`,
    );
  }
  if (strict_tools === false && !family.hasStrictSwitch) {
    throw faultAt(
      ["strict_tools"],
      `is false; remove it, since it does not apply to providers of type ${family.type}.`,
    );
  }
}

function readTiers({ entry, inherited, faultAt }: EntryContext): readonly PriceTier[] {
  if (entry.prices === 0) return [];
  const tiers = entry.prices?.tiers;
  if (tiers === undefined) return inherited.tiers ?? [];
  const thresholds = tiers.map((tier) => tier.above_input_tokens);
  const repeated = thresholds.findIndex((threshold, at) => thresholds.indexOf(threshold) < at);
  if (repeated >= 0) {
    throw faultAt(
      ["prices", "tiers", repeated, "above_input_tokens"],
      `is ${thresholds[repeated]}, which is already in the list.`,
    );
  }
  return tiers.map(toTier);
}

/** What an id has before its slash. */
export function prefixOf(id: string): string {
  return id.slice(0, id.indexOf("/"));
}

function readThinking(thinking: NonNullable<ModelEntry["thinking"]>): CatalogModel["thinking"] {
  if (typeof thinking === "number") return { budgetTokens: thinking };
  return thinking === "none" ? "none" : { effort: thinking };
}
