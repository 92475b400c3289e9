// Checks the settings of a request: one that the model does not support, or out of range (contract/settings.ts), is an
// error before the response starts; none is dropped.
// @spec endpoints/model-settings
import { invalidInput } from "../../contract/errors.ts";
import { SETTINGS } from "../../contract/settings.ts";
import { type EchoedToolChoice, forcesACall } from "../../contract/tools.ts";
import type { CatalogModel } from "../models/catalog.ts";
import { readSettings, type SentSettings } from "../reading/create-body.ts";
import { isSent } from "../reading/field.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";

/** The path of each setting in a body; no model supports top_logprobs. */
const PATHS = (["top_logprobs", ...SETTINGS] as const).map((setting) => {
  const [field = setting, inner = null] = setting.split(".");
  return { setting, field, inner };
});

/**
 * The settings of a create. Throws 400 naming the model and the field when the model does not support one; `param` is
 * the top-level field. Any explicit value counts, even the default.
 */
export function checkSettings(body: JsonObject, model: CatalogModel): SentSettings {
  const sent = PATHS.filter((path) => hasValue(body, path));
  for (const { setting, field } of sent) {
    if (setting === "top_logprobs" || !model.settings.has(setting)) {
      throw invalidInput(field, `The model ${model.id} does not support ${setting}.`);
    }
  }
  const settings = readSettings(body, model.id);
  if (typeof model.thinking === "object" && "budgetTokens" in model.thinking) {
    const unsupported = sent.find(({ setting }) => setting === "temperature" || setting === "top_p");
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

/** Whether the body has a value for a setting. */
function hasValue(body: JsonObject, { field, inner }: (typeof PATHS)[number]): boolean {
  const value = body[field];
  return inner === null ? isSent(value) : isJsonObject(value) && isSent(value[inner]);
}
