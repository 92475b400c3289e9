// Which settings a model takes: an unsupported or out-of-range one is refused before the response starts, none is dropped.
// @spec endpoints/model-settings
import { invalidInput } from "../../contract/errors.ts";
import {
  type NumericSetting,
  SETTING_RANGES,
  type Setting,
  VERBOSITIES,
  type Verbosity,
} from "../../contract/settings.ts";
import { type EchoedToolChoice, forcesACall } from "../../contract/tools.ts";
import type { CatalogModel } from "../catalog.ts";
import type { SentSettings } from "../reading/create-body.ts";
import { describe } from "../reading/json-body.ts";

/** Settings that their model takes. */
export interface ModelSettings extends SentSettings {
  readonly verbosity: Verbosity | null;
}

/**
 * The settings, if the model takes them. Refuses 400 naming the model and the field; `param` is the top-level field. Any explicit value
 * counts, a default's too.
 */
export function checkSettings(settings: SentSettings, model: CatalogModel): ModelSettings {
  if (settings.topLogprobs) {
    throw invalidInput("top_logprobs", `The model ${model.id} does not support top_logprobs.`);
  }
  const sent: readonly [Setting, unknown][] = [
    ["parallel_tool_calls", settings.parallelToolCalls],
    ["temperature", settings.temperature],
    ["top_p", settings.topP],
    ["presence_penalty", settings.presencePenalty],
    ["frequency_penalty", settings.frequencyPenalty],
    ["text.format", settings.format],
    ["text.verbosity", settings.verbosity],
  ];
  for (const [setting, value] of sent) {
    if (value === null) continue;
    if (!model.settings.has(setting)) {
      throw invalidInput(topLevel(setting), `The model ${model.id} does not support ${setting}.`);
    }
    if (isNumeric(setting)) checkRange(setting, value as number, model);
  }
  return { ...settings, verbosity: checkVerbosity(settings.verbosity, model) };
}

/** Refuses 400 param `tool_choice` a choice that forces a call on a model that can't be forced. @spec resources/tool-function */
export function checkToolChoice(choice: EchoedToolChoice, model: CatalogModel): void {
  if (forcesACall(choice) && !model.forcedToolChoice) {
    throw invalidInput(
      "tool_choice",
      `The model ${model.id} does not support a tool_choice that forces a call: use "auto", or another model.`,
    );
  }
}

function checkRange(setting: NumericSetting, value: number, model: CatalogModel): void {
  const { minimum, maximum } = SETTING_RANGES[setting];
  if (value < minimum || value > maximum) {
    throw invalidInput(
      setting,
      `${setting} must be a number from ${minimum} to ${maximum} for the model ${model.id}, not ${value}.`,
    );
  }
  const thinks = typeof model.thinking === "object" && "budgetTokens" in model.thinking;
  if (thinks && (setting === "temperature" || setting === "top_p")) {
    throw invalidInput(setting, `The model ${model.id} does not support ${setting} while its thinking is on.`);
  }
}

function checkVerbosity(value: string | null, model: CatalogModel): Verbosity | null {
  if (value === null) return null;
  const verbosity = VERBOSITIES.find((known) => known === value);
  if (verbosity !== undefined) return verbosity;
  const known = VERBOSITIES.join(", ");
  throw invalidInput(
    "text",
    `text.verbosity must be one of ${known} for the model ${model.id}, not ${describe(value)}.`,
  );
}

function isNumeric(setting: Setting): setting is NumericSetting {
  return setting in SETTING_RANGES;
}

function topLevel(setting: Setting): string {
  return setting.startsWith("text.") ? "text" : setting;
}
