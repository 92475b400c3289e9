// The settings of the next request, as typed, and the request built from them. They have the names of the interface.
import type { Model } from "../../api/client.ts";
import type { CreateBody } from "./v1.ts";

/** The numbers, with their bounds. @spec POST /responses */
export const NUMBERS = {
  temperature: { min: 0, max: 2, step: "any" },
  top_p: { min: 0, max: 1, step: "any" },
  max_output_tokens: { min: 16, step: 1 },
  max_tool_calls: { min: 1, step: 1 },
  presence_penalty: { min: -2, max: 2, step: "any" },
  frequency_penalty: { min: -2, max: 2, step: "any" },
} as const satisfies Record<string, { min: number; max?: number; step: 1 | "any" }>;

export type NumberName = keyof typeof NUMBERS;

export interface Settings extends Readonly<Record<NumberName, string>> {
  readonly instructions: string;
  readonly "text.verbosity": string;
  /** JSON: an array of function tools. */
  readonly tools: string;
  readonly tool_choice: string;
  readonly parallel_tool_calls: string;
  /** What becomes of a message while calls wait for their outputs. */
  readonly "svc:unanswered_calls": string;
  readonly truncation: string;
  /** JSON Schema of the answer. */
  readonly "text.format.schema": string;
}

export const NO_SETTINGS: Settings = {
  instructions: "",
  temperature: "",
  top_p: "",
  max_output_tokens: "",
  max_tool_calls: "",
  presence_penalty: "",
  frequency_penalty: "",
  "text.verbosity": "",
  tools: "",
  tool_choice: "",
  parallel_tool_calls: "",
  "svc:unanswered_calls": "",
  truncation: "",
  "text.format.schema": "",
};

export const EXAMPLE_TOOLS = JSON.stringify(
  [
    {
      type: "function",
      name: "get_weather",
      description: "The weather of a city",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  ],
  null,
  2,
);

/** The settings that only some models support, as the catalog names them. */
const SUPPORTED_BY_SOME = {
  temperature: "temperature",
  top_p: "top_p",
  presence_penalty: "presence_penalty",
  frequency_penalty: "frequency_penalty",
  "text.verbosity": "text.verbosity",
  parallel_tool_calls: "parallel_tool_calls",
  "text.format.schema": "text.format",
} as const satisfies Partial<Record<keyof Settings, string>>;

/** What decides about the settings of a model; undefined: the catalog is not known, and everything may be sent. */
export type Chosen = Pick<Model, "group" | "thinking" | "forced_tool_choice"> | undefined;

/** Whether a model supports a setting. A budget for thinking excludes two that its group may have. */
export function isSupported(name: keyof Settings, model: Chosen): boolean {
  if (model === undefined || !(name in SUPPORTED_BY_SOME)) return true;
  if (typeof model.thinking === "number" && (name === "temperature" || name === "top_p")) return false;
  return model.group.includes(SUPPORTED_BY_SOME[name as keyof typeof SUPPORTED_BY_SOME]);
}

/** The tool choices to offer. */
export function toolChoices(model: Chosen): readonly string[] {
  return ["auto", "none", ...(model?.forced_tool_choice === false ? [] : ["required"])];
}

/** The settings without those that a model does not support: they may be left over from another model, or be for another. */
export function supportedSettings(settings: Settings, model: Chosen): Settings {
  const names = Object.keys(settings) as (keyof Settings)[];
  const unsupported = names.filter((name) => !isSupported(name, model));
  const choice = toolChoices(model).includes(settings.tool_choice) ? settings.tool_choice : "";
  return { ...settings, tool_choice: choice, ...Object.fromEntries(unsupported.map((name) => [name, ""])) };
}

/** Why a typed number is out of bounds; null: it is not. It can still be sent: the service checks it. */
export function outOfBounds(name: NumberName, text: string): string | null {
  const { min, max, step } = { max: Infinity, ...NUMBERS[name] };
  const number = Number(text);
  if (text === "" || (number >= min && number <= max && (step === "any" || Number.isInteger(number)))) return null;
  return `The service takes ${describeBounds(name)}`;
}

/** The bounds of a number, in words. */
export function describeBounds(name: NumberName): string {
  const { min, max } = { max: null, ...NUMBERS[name] };
  return max === null ? `${min} or more` : `${min} to ${max}`;
}

/**
 * The body of the next request, without what it continues; an empty model is carried over from there. Throws an Error
 * that names the field whose JSON is wrong.
 */
export function requestOf(model: string, settings: Settings, input: CreateBody["input"]): CreateBody {
  const { instructions, tools, tool_choice: toolChoice, truncation } = settings;
  const { "text.format.schema": schema, "text.verbosity": verbosity, parallel_tool_calls: parallel } = settings;
  const body: CreateBody = { ...(model !== "" && { model }), input, stream: true };
  if (instructions !== "") body.instructions = instructions;
  for (const name of Object.keys(NUMBERS) as NumberName[]) {
    if (settings[name] !== "") body[name] = Number(settings[name]);
  }
  if (tools.trim() !== "") body.tools = readJson("tools", tools) as NonNullable<CreateBody["tools"]>;
  if (toolChoice !== "") body.tool_choice = toolChoice as "auto" | "none" | "required";
  if (parallel !== "") body.parallel_tool_calls = parallel === "true";
  if (settings["svc:unanswered_calls"] !== "") {
    body["svc:unanswered_calls"] = settings["svc:unanswered_calls"] as "refuse" | "drop";
  }
  if (truncation !== "") body.truncation = truncation as "auto" | "disabled";
  if (schema.trim() !== "") {
    const parsed = readJson("text.format.schema", schema) as Record<string, unknown>;
    body.text = { format: { type: "json_schema", name: "answer", schema: parsed } };
  }
  if (verbosity !== "") body.text = { ...body.text, verbosity: verbosity as "low" | "medium" | "high" };
  return body;
}

function readJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : "no JSON"}`, { cause: error });
  }
}
