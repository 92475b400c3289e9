// The settings of the next request, as typed, and the request built from them.
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
  schema: "text.format",
} as const satisfies Partial<Record<keyof Settings, string>>;

/** The settings without those that a model of this group does not support: they may be left over from another model. */
export function supportedSettings(settings: Settings, group: readonly string[]): Settings {
  const unsupported = Object.entries(SUPPORTED_BY_SOME).filter(([, setting]) => !group.includes(setting));
  return { ...settings, ...Object.fromEntries(unsupported.map(([field]) => [field, ""])) };
}

/** What the next request continues; a conversation comes first. */
export interface Place {
  readonly previousResponseId: string | null;
  readonly conversationId: string | null;
}

/** The body of the next request. Throws an Error that names the field whose JSON is wrong. */
export function requestOf(settings: Settings, input: CreateBody["input"], place: Place): CreateBody {
  const { instructions, temperature, topP, maxOutputTokens, tools, toolChoice, schema } = settings;
  const { presencePenalty, frequencyPenalty, verbosity } = settings;
  const body: CreateBody = { model: settings.model, input, stream: true };
  if (place.conversationId !== null) body.conversation = place.conversationId;
  else if (place.previousResponseId !== null) body.previous_response_id = place.previousResponseId;
  if (instructions !== "") body.instructions = instructions;
  if (temperature !== "") body.temperature = Number(temperature);
  if (topP !== "") body.top_p = Number(topP);
  if (maxOutputTokens !== "") body.max_output_tokens = Number(maxOutputTokens);
  if (tools.trim() !== "") body.tools = readJson("Tools", tools) as NonNullable<CreateBody["tools"]>;
  if (toolChoice !== "") body.tool_choice = toolChoice as "auto" | "none" | "required";
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
