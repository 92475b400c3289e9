// The body of POST /responses, field by field in the order of the specification's table. @spec endpoints/post-responses
import { invalidInput } from "../../contract/errors.ts";
import { isIdOf, type ResponseId } from "../../contract/ids.ts";
import type { Metadata } from "../../contract/resources.ts";
import { CREATE_RESPONSE_FIELDS } from "../../contract/requests.ts";
import type { TextFormat, Truncation } from "../../contract/settings.ts";
import { readField } from "./field.ts";
import { isCallOutput, readInputItems, readResentItems, type SentItem } from "./input-items.ts";
import { describe, isJsonObject, type JsonObject } from "./json-body.ts";
import { readLabels } from "./labels.ts";
import { readSchemaObject } from "./schema-object.ts";
import { readToolFields, type ToolFields } from "./tool-fields.ts";

/** The generation settings as sent; null where not sent. Whether a model supports them is decided by core/turn/settings. */
export interface SentSettings {
  readonly parallelToolCalls: boolean | null;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly presencePenalty: number | null;
  readonly frequencyPenalty: number | null;
  readonly format: TextFormat | null;
  /** Any text: what a model takes is for core/turn/settings to say. */
  readonly verbosity: string | null;
  /** Whether top_logprobs was sent at all: no model takes it. */
  readonly topLogprobs: boolean;
}

/** A create as it was asked for, each field checked by itself. */
export interface CreateRequest {
  readonly model: string | null;
  readonly input: string | readonly SentItem[];
  readonly previousResponseId: ResponseId | null;
  readonly conversationId: string | null;
  readonly instructions: string | null;
  readonly metadata: Metadata | null;
  /** Null when the request may be a tool answer: those ignore these fields, and only the history tells. */
  readonly toolFields: ToolFields | null;
  readonly requestedMaxOutputTokens: number | null;
  readonly truncation: Truncation;
  readonly stream: boolean;
  readonly includeObfuscation: boolean;
  readonly settings: SentSettings;
  /** Unread: its refusals name the model, which may come from the history. */
  readonly include: unknown;
  readonly body: JsonObject;
}

const ROLE_HINTS = {
  assistant:
    "assistant messages are kept by the service; continue with previous_response_id or conversation instead of resending them.",
  system: "send a system message as instructions.",
  developer: "send a developer message as instructions.",
} as const;

/** Reads a create; refuses 400 with the field's name as param. */
export function readCreateBody(body: JsonObject): CreateRequest {
  const fields = CREATE_RESPONSE_FIELDS;
  const model = readField<string>("model", body["model"], fields.model);
  const mayAnswerTools = mightAnswerTools(body);
  const input = readInput(body["input"], mayAnswerTools);
  const previousResponseId = readPreviousResponseId(body["previous_response_id"]);
  const conversationId = readConversationId(body["conversation"]);
  if (previousResponseId !== null && conversationId !== null) {
    throw invalidInput("conversation", "conversation cannot be combined with previous_response_id: send one of them.");
  }
  const instructions = readField<string>("instructions", body["instructions"], fields.instructions);
  const metadata = readLabels(body["metadata"]);
  const toolFields = mayAnswerTools ? null : readToolFields(body);
  const requestedMaxOutputTokens = readField<number>(
    "max_output_tokens",
    body["max_output_tokens"],
    fields.max_output_tokens,
  );
  const truncation = readField<Truncation>("truncation", body["truncation"], fields.truncation) ?? "disabled";
  const stream = readField<boolean>("stream", body["stream"], fields.stream) ?? false;
  const includeObfuscation = readStreamOptions(body["stream_options"]);
  const settings = readSettings(body);
  readField("prompt_cache_key", body["prompt_cache_key"], fields.prompt_cache_key);
  readField("service_tier", body["service_tier"], fields.service_tier);
  refuseUnavailable(body);
  return {
    model,
    input,
    previousResponseId,
    conversationId,
    instructions,
    metadata,
    toolFields,
    requestedMaxOutputTokens,
    truncation,
    stream,
    includeObfuscation,
    settings,
    include: body["include"],
    body,
  };
}

/** Whether a create may answer waiting calls: a later turn with an output among its items. Only the history tells whether it does. */
function mightAnswerTools(body: JsonObject): boolean {
  const isLaterTurn = (body["previous_response_id"] ?? body["conversation"] ?? null) !== null;
  const input = body["input"];
  return isLaterTurn && Array.isArray(input) && input.some(isCallOutput);
}

function readInput(value: unknown, mayAnswerTools: boolean): CreateRequest["input"] {
  if (value === undefined || value === null)
    throw invalidInput("input", "input is required: a string or an array of input items.");
  if (typeof value === "string") {
    if (value === "") throw invalidInput("input", "input must not be empty.");
    return value;
  }
  if (!Array.isArray(value))
    throw invalidInput("input", `input must be a string or an array of input items, not ${describe(value)}.`);
  const field = { param: "input", refusedRoles: ROLE_HINTS } as const;
  return mayAnswerTools ? readResentItems(value, field) : readInputItems(value, field);
}

function readPreviousResponseId(value: unknown): ResponseId | null {
  const text = readField<string>("previous_response_id", value, CREATE_RESPONSE_FIELDS.previous_response_id);
  if (text === null) return null;
  if (!isIdOf("response", text)) {
    throw invalidInput(
      "previous_response_id",
      `previous_response_id must be the id of a response (resp_…), not ${describe(text)}.`,
    );
  }
  return text as ResponseId;
}

function readConversationId(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const id = isJsonObject(value) ? value["id"] : value;
  if (typeof id !== "string")
    throw invalidInput("conversation", "conversation must be a conversation id or an object {id}.");
  return id;
}

function readStreamOptions(value: unknown): boolean {
  const options = readField<JsonObject>("stream_options", value, CREATE_RESPONSE_FIELDS.stream_options);
  const include = options?.["include_obfuscation"];
  return readField<boolean>("stream_options.include_obfuscation", include, { type: "boolean" }) ?? true;
}

function readSettings(body: JsonObject): SentSettings {
  const fields = CREATE_RESPONSE_FIELDS;
  const topLogprobs = body["top_logprobs"];
  const text = readField<JsonObject>("text", body["text"], fields.text);
  return {
    parallelToolCalls: readField<boolean>(
      "parallel_tool_calls",
      body["parallel_tool_calls"],
      fields.parallel_tool_calls,
    ),
    temperature: readField<number>("temperature", body["temperature"], fields.temperature),
    topP: readField<number>("top_p", body["top_p"], fields.top_p),
    presencePenalty: readField<number>("presence_penalty", body["presence_penalty"], fields.presence_penalty),
    frequencyPenalty: readField<number>("frequency_penalty", body["frequency_penalty"], fields.frequency_penalty),
    format: readFormat(text?.["format"]),
    verbosity: readField<string>("text.verbosity", text?.["verbosity"], { type: "string" }),
    topLogprobs: topLogprobs !== undefined && topLogprobs !== null,
  };
}

function readFormat(value: unknown): TextFormat | null {
  const format = readField<JsonObject>("text.format", value, { type: "object" });
  if (format === null) return null;
  switch (format["type"]) {
    case "text":
      return { type: "text" };
    case "json_schema": {
      const { schema, strict, name, description } = format;
      if (!isJsonObject(schema)) {
        throw invalidInput(
          "text",
          `text.format of type json_schema must carry a schema object in text.format.schema, not ${describe(schema)}.`,
        );
      }
      readField("text.format.strict", strict, { type: "boolean" });
      readField("text.format.name", name, { type: "string" });
      readField("text.format.description", description, { type: "string" });
      return {
        type: "json_schema",
        ...(typeof name === "string" ? { name } : {}),
        ...(typeof description === "string" ? { description } : {}),
        schema: readSchemaObject("text.format.schema", schema),
        ...(typeof strict === "boolean" ? { strict } : {}),
      };
    }
    default:
      throw invalidInput("text", `text.format.type must be "text" or "json_schema", not ${describe(format["type"])}.`);
  }
}

/** What the service does not do is refused when it is asked for, never silently left out. */
function refuseUnavailable(body: JsonObject): void {
  const fields = CREATE_RESPONSE_FIELDS;
  const background = readField<boolean>("background", body["background"], { type: "boolean" });
  if (background === true)
    throw invalidInput("background", "background is not available: use stream, or retrieve the response by its id.");
  const store = readField<boolean>("store", body["store"], { type: "boolean" });
  if (store === false)
    throw invalidInput("store", `store must be ${String(fields.store.const)}: every response is stored.`);
  for (const [field, instead] of [
    ["reasoning", "a model's reasoning is set in the catalog"],
    ["starting_after", "a stream cannot be resumed; retrieve the response by its id"],
  ] as const) {
    const value = body[field];
    if (value !== undefined && value !== null) throw invalidInput(field, `${field} is not accepted: ${instead}.`);
  }
}
