// One entry of `models` in turngate.yaml, made a model of the catalog: its group spelled out, its defaults filled in.
import { MODEL_GROUPS, type ModelGroup, REASONING_EFFORTS, type Setting } from "../contract/settings.ts";
import type { CatalogModel, Prices } from "../core/catalog.ts";
import type { ReadConfigFile } from "./config-file.ts";
import type { ModelEntry } from "./config-schema.ts";
import {
  END_USER_FIELD,
  GROUP_OF_TYPE,
  HAS_THINKING_BUDGET,
  MODEL_DEFAULTS,
  SETTINGS_OF_TYPE,
} from "./model-defaults.ts";
import type { ProviderConfig } from "./provider-config.ts";

/** Reads the entries in order; throws an OperatorError for an unknown provider, a repeated id and numbers that do not fit. */
export function readModelEntries(file: ReadConfigFile, providers: readonly ProviderConfig[]): readonly CatalogModel[] {
  const entries = file.config.models ?? [];
  const models: CatalogModel[] = [];
  for (const [index, entry] of entries.entries()) {
    if (models.some((model) => model.id === entry.id)) {
      throw file.wrong(
        ["models", index, "id"],
        `models[${index}].id is "${entry.id}", which stands in the list already.`,
      );
    }
    models.push(readModelEntry(entry, index, file, providers));
  }
  return models;
}

function readModelEntry(
  entry: ModelEntry,
  index: number,
  file: ReadConfigFile,
  providers: readonly ProviderConfig[],
): CatalogModel {
  const slash = entry.id.indexOf("/");
  const [prefix, name] = [entry.id.slice(0, slash), entry.id.slice(slash + 1)];
  const providerName = entry.provider ?? prefix;
  const provider = providers.find((candidate) => candidate.name === providerName);
  if (provider === undefined) {
    const names = providers.map((candidate) => candidate.name).join(", ");
    throw file.wrong(
      ["models", index, entry.provider === undefined ? "id" : "provider"],
      `models[${index}] names the provider "${providerName}", which is not configured; allowed: ${names}.`,
    );
  }

  const contextWindow = entry.context_window ?? MODEL_DEFAULTS.contextWindow;
  const maxOutputTokens = entry.max_output_tokens ?? Math.min(MODEL_DEFAULTS.maxOutputTokens, contextWindow);
  const defaultOutputTokens =
    entry.default_output_tokens ?? Math.min(MODEL_DEFAULTS.defaultOutputTokens, maxOutputTokens);
  const atMost = (field: keyof ModelEntry, value: number, bound: number, boundName: string) => {
    if (value <= bound) return;
    throw file.wrong(
      ["models", index, field],
      `models[${index}].${field} is ${value}; allowed: at most ${boundName} (${bound}).`,
    );
  };
  atMost("max_output_tokens", maxOutputTokens, contextWindow, "context_window");
  atMost("default_output_tokens", defaultOutputTokens, maxOutputTokens, "max_output_tokens");

  const settings = readSettings(entry.group ?? GROUP_OF_TYPE[provider.type]);
  const carried = SETTINGS_OF_TYPE[provider.type];
  const dropped = settings.find((setting) => !carried.includes(setting));
  if (dropped !== undefined) {
    throw file.wrong(
      ["models", index, "group"],
      `models[${index}].group holds ${dropped}; allowed: ${groupsWithin(carried)}or a list out of ${carried.join(", ")}, since providers of type ${provider.type} take no other setting.`,
    );
  }
  if (typeof entry.thinking === "number" && !HAS_THINKING_BUDGET[provider.type]) {
    throw file.wrong(
      ["models", index, "thinking"],
      `models[${index}].thinking is ${entry.thinking}; allowed: none or an effort (${REASONING_EFFORTS.slice(1).join(", ")}), since providers of type ${provider.type} take no budget.`,
    );
  }

  const endUserField = END_USER_FIELD[provider.type];
  if (entry.end_user_field === true && endUserField === "never") {
    throw file.wrong(
      ["models", index, "end_user_field"],
      `models[${index}].end_user_field is true; allowed: false, since providers of type ${provider.type} take no end user.`,
    );
  }

  const thresholds = (entry.prices?.tiers ?? []).map((tier) => tier.above_input_tokens);
  const repeated = thresholds.findIndex((threshold, at) => thresholds.indexOf(threshold) < at);
  if (repeated >= 0) {
    throw file.wrong(
      ["models", index, "prices", "tiers", repeated, "above_input_tokens"],
      `models[${index}].prices.tiers[${repeated}].above_input_tokens is ${thresholds[repeated]}, which stands in the list already.`,
    );
  }
  const tiers = (entry.prices?.tiers ?? []).map(({ above_input_tokens, ...prices }) => ({
    aboveInputTokens: above_input_tokens,
    prices: readPrices(prices),
  }));
  return {
    id: entry.id,
    provider: providerName,
    upstreamModel: entry.upstream_model ?? name,
    settings: new Set(settings),
    contextWindow,
    maxOutputTokens,
    defaultOutputTokens,
    thinking: readThinking(entry.thinking ?? "none"),
    forcedToolChoice: entry.forced_tool_choice ?? true,
    hasEndUserField: entry.end_user_field ?? endUserField === true,
    prices: readPrices(entry.prices ?? {}),
    ...(tiers.length === 0 ? {} : { tiers }),
    ownedBy: entry.owned_by ?? prefix,
    created: entry.created ?? 0,
  };
}

function readPrices({ input = 0, cached_input = input, cache_write = input, output = 0 }: Partial<Prices>): Prices {
  return { input, cached_input, cache_write, output };
}

function readSettings(group: ModelGroup | readonly Setting[]): readonly Setting[] {
  return typeof group === "string" ? MODEL_GROUPS[group] : group;
}

/** The groups that hold nothing but those settings, each with a comma behind it. */
function groupsWithin(settings: readonly Setting[]): string {
  const fitting = Object.entries(MODEL_GROUPS).filter(([, group]) => group.every((one) => settings.includes(one)));
  return fitting.map(([name]) => `${name}, `).join("");
}

function readThinking(thinking: number | string): CatalogModel["thinking"] {
  if (typeof thinking === "number") return { budgetTokens: thinking };
  return thinking === "none" ? "none" : { effort: thinking };
}
