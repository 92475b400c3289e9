// Reads the body of POST /responses, in the order of the specification's table. The type and the bounds of each field
// are in contract/requests.ts. @spec endpoints/post-responses
import { invalidInput } from "../../contract/errors.ts";
import { isIdOf, type ResponseId } from "../../contract/ids.ts";
import type { Metadata } from "../../contract/resources.ts";
import { REJECTED_FIELDS, type UnansweredCalls } from "../../contract/requests.ts";
import { type TextFormat, type Truncation, type Verbosity, VERBOSITY } from "../../contract/settings.ts";
import { isSent, readCreateField, readField } from "./field.ts";
import { isCallOutput, readInputItems, readResentItems, type SentItem } from "./input-items.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { describe } from "./json-value.ts";
import { readMetadata } from "./metadata.ts";
import { readToolFields, type ToolFields } from "./tool-fields.ts";

/** The generation settings as sent; null if not sent. */
export interface SentSettings {
  readonly parallelToolCalls: boolean | null;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly presencePenalty: number | null;
  readonly frequencyPenalty: number | null;
  readonly format: TextFormat | null;
  readonly verbosity: Verbosity | null;
}

/** A create request whose fields are checked one by one, not yet against each other or the history. */
export interface CreateRequest {
  readonly model: string | null;
  readonly input: string | readonly SentItem[];
  readonly previousResponseId: ResponseId | null;
  readonly conversationId: string | null;
  readonly instructions: string | null;
  readonly metadata: Metadata | null;
  /**
   * Null if the request may carry tool outputs for a waiting turn, which ignores these fields; only the history can
   * tell.
   */
  readonly toolFields: ToolFields | null;
  readonly requestedMaxOutputTokens: number | null;
  readonly truncation: Truncation;
  readonly stream: boolean;
  readonly includeObfuscation: boolean;
  /** The choice for a user turn while function calls wait; null: the API key's default. */
  readonly unansweredCalls: UnansweredCalls | null;
  /** Unchecked: its errors name the model, which may come from the history. */
  readonly include: unknown;
  /** The generation settings are read from it once the model is known. */
  readonly body: JsonObject;
}

const ROLE_HINTS = {
  assistant:
    "assistant messages are kept by the service; continue with previous_response_id or conversation instead of resending them.",
  system: "send a system message as instructions.",
  developer: "send a developer message as instructions.",
} as const;

/** Reads a create request. Throws 400 `invalid_input` naming the field. */
export function readCreateBody(body: JsonObject): CreateRequest {
  // These two concern the whole request, so they are checked before single fields.
  if (isSent(body["conversation"]) && isSent(body["previous_response_id"])) {
    throw invalidInput("conversation", "conversation cannot be combined with previous_response_id: send one of them.");
  }
  const previousResponseId = readPreviousResponseId(body);
  const mayAnswerCalls = mightAnswerCalls(body);
  const fields = {
    model: readCreateField(body, "model"),
    input: readInput(body, mayAnswerCalls),
    conversationId: readConversationId(body["conversation"]),
    instructions: readCreateField(body, "instructions"),
    metadata: readMetadata(body["metadata"]),
    toolFields: mayAnswerCalls ? null : readToolFields(body),
    requestedMaxOutputTokens: readCreateField(body, "max_output_tokens"),
    truncation: readCreateField(body, "truncation") ?? "disabled",
    stream: readCreateField(body, "stream") ?? false,
    includeObfuscation: readStreamOptions(body["stream_options"]),
  };
  checkUnappliedFields(body);
  return {
    ...fields,
    previousResponseId,
    unansweredCalls: readCreateField(body, "svc:unanswered_calls"),
    include: body["include"],
    body,
  };
}

/** Whether a create continues a history and has a tool output. Only the history can tell whether it answers calls. */
function mightAnswerCalls(body: JsonObject): boolean {
  const isLaterTurn = isSent(body["previous_response_id"]) || isSent(body["conversation"]);
  const input = body["input"];
  return isLaterTurn && Array.isArray(input) && input.some(isCallOutput);
}

function readInput({ input: value, messages }: JsonObject, mayAnswerCalls: boolean): CreateRequest["input"] {
  if (!isSent(value)) {
    const hint = isSent(messages)
      ? " messages is the field of chat completions: send the user's message as input, and the system's as instructions."
      : "";
    throw invalidInput("input", `input is required: a string or an array of input items.${hint}`);
  }
  if (typeof value === "string") {
    if (value === "") throw invalidInput("input", "input must not be empty.");
    return value;
  }
  if (!Array.isArray(value))
    throw invalidInput("input", `input must be a string or an array of input items, not ${describe(value)}.`);
  const field = { param: "input", rejectedRoles: ROLE_HINTS } as const;
  return mayAnswerCalls ? readResentItems(value, field) : readInputItems(value, field);
}

function readPreviousResponseId(body: JsonObject): ResponseId | null {
  const text = readCreateField(body, "previous_response_id");
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
  if (!isSent(value)) return null;
  const id = isJsonObject(value) ? value["id"] : value;
  if (typeof id === "string") return id;
  const sent = isJsonObject(value) ? `an object whose id is ${describe(id)}` : describe(value);
  throw invalidInput("conversation", `conversation must be a conversation id or an object {id}, not ${sent}.`);
}

function readStreamOptions(value: unknown): boolean {
  const options = readField<JsonObject>("stream_options", value, { type: "object" });
  const include = options?.["include_obfuscation"];
  return readField<boolean>("stream_options.include_obfuscation", include, { type: "boolean" }) ?? true;
}

/** Reads the generation settings for a model. Throws 400 naming field and model. */
export function readSettings(body: JsonObject, model: string): SentSettings {
  const forModel = ` for the model ${model}`;
  const text = readField<JsonObject>("text", body["text"], { type: "object" }, forModel);
  return {
    parallelToolCalls: readCreateField(body, "parallel_tool_calls", forModel),
    temperature: readCreateField(body, "temperature", forModel),
    topP: readCreateField(body, "top_p", forModel),
    presencePenalty: readCreateField(body, "presence_penalty", forModel),
    frequencyPenalty: readCreateField(body, "frequency_penalty", forModel),
    format: readFormat(text?.["format"], forModel),
    verbosity: readField<Verbosity>("text.verbosity", text?.["verbosity"], VERBOSITY, forModel),
  };
}

function readFormat(value: unknown, forModel: string): TextFormat | null {
  const format = readField<JsonObject>("text.format", value, { type: "object" }, forModel);
  if (format === null) return null;
  switch (format["type"]) {
    case "text":
      return { type: "text" };
    case "json_schema": {
      const { schema, strict, name, description } = format;
      if (!isJsonObject(schema)) {
        throw invalidInput(
          "text",
          `text.format of type json_schema must carry a schema object in text.format.schema${forModel}, not ${describe(schema)}.`,
        );
      }
      readField("text.format.strict", strict, { type: "boolean" }, forModel);
      readField("text.format.name", name, { type: "string" }, forModel);
      readField("text.format.description", description, { type: "string" }, forModel);
      return {
        type: "json_schema",
        ...(typeof name === "string" ? { name } : {}),
        ...(typeof description === "string" ? { description } : {}),
        schema,
        ...(typeof strict === "boolean" ? { strict } : {}),
      };
    }
    default:
      throw invalidInput(
        "text",
        `text.format.type must be "text" or "json_schema"${forModel}, not ${describe(format["type"])}.`,
      );
  }
}

/**
 * Checks the fields that have no effect. Those that request a feature which is not available are rejected: none is
 * ignored silently.
 */
function checkUnappliedFields(body: JsonObject): void {
  readCreateField(body, "prompt_cache_key");
  readCreateField(body, "service_tier");
  const background = readField<boolean>("background", body["background"], { type: "boolean" });
  if (background === true)
    throw invalidInput("background", "background is not available: use stream, or retrieve the response by its id.");
  const store = readField<boolean>("store", body["store"], { type: "boolean" });
  if (store === false) throw invalidInput("store", "store must be true: every response is stored.");
  // top_logprobs is a setting: its error names the model.
  for (const field of ["reasoning", "starting_after"] as const) {
    if (isSent(body[field])) throw invalidInput(field, `${field} is not accepted: ${REJECTED_FIELDS[field]}.`);
  }
}
