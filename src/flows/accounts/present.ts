// JSON of accounts, for the command line and the management interface. Times are Unix seconds, credits are numbers.
import type { CatalogModel } from "../../core/models/catalog.ts";
import type { RunningTurn } from "../../ports/store/turns.ts";

/** A running turn without its content. */
export function presentRunningTurn({ id, organizationId, keyId, keyName, model, createdAt, status }: RunningTurn) {
  return { id, organization: organizationId, key: keyId, key_name: keyName, model, since: createdAt, status };
}

/** A model with the field names of turngate.yaml. */
export function presentModel(model: CatalogModel) {
  const { id, provider, upstreamModel, settings, contextWindow, maxOutputTokens, defaultOutputTokens } = model;
  return {
    id,
    provider,
    upstream_model: upstreamModel,
    group: [...settings],
    context_window: contextWindow,
    max_output_tokens: maxOutputTokens,
    default_output_tokens: defaultOutputTokens,
    thinking: presentThinking(model.thinking),
    forced_tool_choice: model.forcedToolChoice,
    prices: presentPrices(model),
    owned_by: model.ownedBy,
    created: model.created,
  };
}

function presentPrices({ prices, tiers }: CatalogModel) {
  if (tiers === undefined) return prices;
  return { ...prices, tiers: tiers.map((tier) => ({ above_input_tokens: tier.aboveInputTokens, ...tier.prices })) };
}

function presentThinking(thinking: CatalogModel["thinking"]): string | number {
  if (thinking === "none") return thinking;
  return "effort" in thinking ? thinking.effort : thinking.budgetTokens;
}
