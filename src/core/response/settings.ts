// Checks the settings of a request: one that the model does not support, or out of range (contract/settings.ts), is an
// error before the response starts; none is dropped.
// @spec endpoints/model-settings
import { invalidInput } from "../../contract/errors.ts";
import { type EchoedToolChoice, forcesACall } from "../../contract/tools.ts";
import type { CatalogModel } from "../models/catalog.ts";
import { type CreateRequest, type SentSettings, resolveField } from "./request.ts";

/**
 * The settings of a create. Throws 400 naming the model and the field when the model does not support one; `param` is
 * the top-level field.
 */
export function checkSettings(
  { settings: part, sentSettings }: Pick<CreateRequest, "settings" | "sentSettings">,
  model: CatalogModel,
): SentSettings {
  for (const { setting, field } of sentSettings) {
    if (setting === "top_logprobs" || !model.settings.has(setting)) {
      throw invalidInput(field, `The model ${model.id} does not support ${setting}.`);
    }
  }
  const settings = resolveField(part, model.id);
  if (typeof model.thinking === "object" && "budgetTokens" in model.thinking) {
    const unsupported = sentSettings.find(({ setting }) => setting === "temperature" || setting === "top_p");
    if (unsupported !== undefined) {
      const { field } = unsupported;
      throw invalidInput(field, `The model ${model.id} does not support ${field} while its thinking is on.`);
    }
  }
  return settings;
}

/**
 * Throws 400 param `tool_choice` for a choice that forces a call on a model that does not support it.
 * @spec resources/tool
 */
export function checkToolChoice(choice: EchoedToolChoice, model: CatalogModel): void {
  if (forcesACall(choice) && !model.forcedToolChoice) {
    throw invalidInput(
      "tool_choice",
      `The model ${model.id} does not support a tool_choice that forces a call: use another model, or begin the turn with "auto".`,
    );
  }
}
