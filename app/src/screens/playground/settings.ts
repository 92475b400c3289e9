// The settings of the next request, as typed, and the request built from them.
import type { Model } from "../../api/client.ts";
import type { CreateBody } from "./v1.ts";

export interface Settings {
  readonly model: string;
  readonly instructions: string;
  readonly temperature: string;
  readonly topP: string;
  readonly maxOutputTokens: string;
  readonly presencePenalty: string;
  readonly frequencyPenalty: string;
  readonly verbosity: string;
  /** JSON: an array of function tools. */
  readonly tools: string;
  readonly toolChoice: string;
  readonly parallelToolCalls: string;
  /** What becomes of a message while calls wait for their outputs. */
  readonly unansweredCalls: string;
  readonly truncation: string;
  /** JSON Schema of the answer. */
  readonly schema: string;
}

export const NO_SETTINGS: Settings = {
  model: "",
  instructions: "",
  temperature: "",
  topP: "",
  maxOutputTokens: "",
  presencePenalty: "",
  frequencyPenalty: "",
  verbosity: "",
  tools: "",
  toolChoice: "",
  parallelToolCalls: "",
  unansweredCalls: "",
  truncation: "",
  schema: "",
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

/** The setting of the interface behind each field that only some models support. */
const SUPPORTED_BY_SOME = {
  temperature: "temperature",
  topP: "top_p",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  verbosity: "text.verbosity",
  parallelToolCalls: "parallel_tool_calls",
  schema: "text.format",
} as const satisfies Partial<Record<keyof Settings, string>>;

export type FieldOfSome = keyof typeof SUPPORTED_BY_SOME;
/** What decides about the settings of a model; undefined: no model is chosen. */
export type Chosen = Pick<Model, "group" | "thinking" | "forced_tool_choice"> | undefined;

/** Whether a model supports a setting that only some support. A budget for thinking excludes two of its group. */
export function isSupported(field: FieldOfSome, model: Chosen): boolean {
  if (typeof model?.thinking === "number" && (field === "temperature" || field === "topP")) return false;
  return model?.group.includes(SUPPORTED_BY_SOME[field]) === true;
}

/** The tool choices to offer; the empty one is not sent. */
export function toolChoices(model: Chosen): readonly string[] {
  return ["", "auto", "none", ...(model?.forced_tool_choice === false ? [] : ["required"])];
}

/** The settings without those that a model does not support: they may be left over from another model. */
export function supportedSettings(settings: Settings, model: Chosen): Settings {
  const fields = Object.keys(SUPPORTED_BY_SOME) as FieldOfSome[];
  const unsupported = fields.filter((field) => !isSupported(field, model));
  const toolChoice = toolChoices(model).includes(settings.toolChoice) ? settings.toolChoice : "";
  return { ...settings, toolChoice, ...Object.fromEntries(unsupported.map((field) => [field, ""])) };
}

/** What the next request continues; a conversation comes first. */
export interface Place {
  readonly previousResponseId: string | null;
  readonly conversationId: string | null;
}

/** The body of the next request. Throws an Error that names the field whose JSON is wrong. */
export function requestOf(settings: Settings, input: CreateBody["input"], place: Place): CreateBody {
  const { instructions, temperature, topP, maxOutputTokens, tools, toolChoice, schema } = settings;
  const { presencePenalty, frequencyPenalty, verbosity, parallelToolCalls, unansweredCalls, truncation } = settings;
  const body: CreateBody = { model: settings.model, input, stream: true };
  if (place.conversationId !== null) body.conversation = place.conversationId;
  else if (place.previousResponseId !== null) body.previous_response_id = place.previousResponseId;
  if (instructions !== "") body.instructions = instructions;
  if (temperature !== "") body.temperature = Number(temperature);
  if (topP !== "") body.top_p = Number(topP);
  if (maxOutputTokens !== "") body.max_output_tokens = Number(maxOutputTokens);
  if (tools.trim() !== "") body.tools = readJson("Tools", tools) as NonNullable<CreateBody["tools"]>;
  if (toolChoice !== "") body.tool_choice = toolChoice as "auto" | "none" | "required";
  if (parallelToolCalls !== "") body.parallel_tool_calls = parallelToolCalls === "true";
  if (unansweredCalls !== "") body["svc:unanswered_calls"] = unansweredCalls as "refuse" | "drop";
  if (truncation !== "") body.truncation = truncation as "auto" | "disabled";
  if (presencePenalty !== "") body.presence_penalty = Number(presencePenalty);
  if (frequencyPenalty !== "") body.frequency_penalty = Number(frequencyPenalty);
  if (schema.trim() !== "") {
    const parsed = readJson("Schema of the answer", schema) as Record<string, unknown>;
    body.text = { format: { type: "json_schema", name: "answer", schema: parsed } };
  }
  if (verbosity !== "") body.text = { ...body.text, verbosity: verbosity as "low" | "medium" | "high" };
  return body;
}

function readJson(label: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${label}: ${error instanceof Error ? error.message : "no JSON"}`, { cause: error });
  }
}
