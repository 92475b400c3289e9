// Reads the body of POST /responses, in the order of the specification's table. The type and the bounds of each field
// are in contract/requests.ts. @spec endpoints/post-responses
import { ApiError, invalidInput } from "../../contract/errors.ts";
import { isIdOf, type ResponseId } from "../../contract/ids.ts";
import { CREATE_RESPONSE_FIELDS, type CreateResponseField, REJECTED_FIELDS } from "../../contract/requests.ts";
import { SETTINGS, type TextFormat, type Verbosity, VERBOSITY } from "../../contract/settings.ts";
import type { CreateRequest, Deferred, SentSettings } from "../response/request.ts";
import { type Fault, faultOf, isSent, type PlainField, readCreateField, readField } from "./field.ts";
import { readIncludeOfCreate } from "./include-list.ts";
import { isCallOutput, readInputItems, readResentItems } from "./input-items.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { describe } from "./json-value.ts";
import { readMetadata } from "./metadata.ts";
import { readToolFields, readUser } from "./tool-fields.ts";

/** The path of each setting in a body. */
const SETTING_PATHS = (["top_logprobs", ...SETTINGS] as const).map((setting) => {
  const [field = setting, inner = null] = setting.split(".");
  return { setting, field, inner };
});

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
    // Only the history can tell whether they count.
    toolFields: mayAnswerCalls ? readDeferred(() => readToolFields(body)) : { value: readToolFields(body) },
    requestedMaxOutputTokens: readCreateField(body, "max_output_tokens"),
    truncation: readCreateField(body, "truncation") ?? "disabled",
    stream: readCreateField(body, "stream") ?? false,
    includeObfuscation: readStreamOptions(body["stream_options"]),
  };
  checkUnappliedFields(body);
  return {
    ...fields,
    previousResponseId,
    // Ignored beside a safety_identifier, also where tool outputs inherit that of their turn.
    user: isSent(body["safety_identifier"]) ? { value: null } : readDeferred(() => readUser(body)),
    unansweredCalls: readCreateField(body, "svc:unanswered_calls"),
    includesEncryptedContent: readIncludeOfCreate(body["include"]),
    settings: readSettings(body),
    sentSettings: SETTING_PATHS.filter((path) => hasValue(body, path)),
    hasPromptTemplate: isSent(body["prompt"]),
  };
}

/** A field whose error counts only if the response uses the field. */
function readDeferred<T>(read: () => T): Deferred<T> {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof ApiError) return { faultFor: () => error };
    throw error;
  }
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

/** Whether the body has a value for a setting. */
function hasValue(body: JsonObject, { field, inner }: (typeof SETTING_PATHS)[number]): boolean {
  const value = body[field];
  return inner === null ? isSent(value) : isJsonObject(value) && isSent(value[inner]);
}

/** Reads the generation settings; the error about the first wrong one names the model. */
function readSettings(body: JsonObject): Deferred<SentSettings> {
  const faults: Fault[] = [];
  const read = <T>(path: string, value: unknown, shape: object): T | null => {
    const fault = faultOf(path, value, shape);
    if (fault !== null) faults.push(fault);
    return isSent(value) && fault === null ? (value as T) : null;
  };
  const readPlain = <Name extends PlainField>(name: Name) =>
    read<CreateResponseField<Name>>(name, body[name], CREATE_RESPONSE_FIELDS[name]);
  const text = read<JsonObject>("text", body["text"], { type: "object" });
  const value: SentSettings = {
    parallelToolCalls: readPlain("parallel_tool_calls"),
    temperature: readPlain("temperature"),
    topP: readPlain("top_p"),
    presencePenalty: readPlain("presence_penalty"),
    frequencyPenalty: readPlain("frequency_penalty"),
    format: readFormat(text?.["format"], read, faults),
    verbosity: read<Verbosity>("text.verbosity", text?.["verbosity"], VERBOSITY),
  };
  const [first] = faults;
  return first === undefined ? { value } : { faultFor: (model) => first(` for the model ${model}`) };
}

function readFormat(
  value: unknown,
  read: <T>(path: string, value: unknown, shape: object) => T | null,
  faults: Fault[],
): TextFormat | null {
  const format = read<JsonObject>("text.format", value, { type: "object" });
  if (format === null) return null;
  const { type, schema } = format;
  if (type === "text") return { type };
  const wrong = (allowed: string, sent: unknown): null => {
    const not = `, not ${describe(sent)}.`;
    faults.push((forWhom) => invalidInput("text", `${allowed}${forWhom}${not}`));
    return null;
  };
  if (type !== "json_schema") return wrong('text.format.type must be "text" or "json_schema"', type);
  if (!isJsonObject(schema)) {
    return wrong("text.format of type json_schema must carry a schema object in text.format.schema", schema);
  }
  const strict = read<boolean>("text.format.strict", format["strict"], { type: "boolean" });
  const name = read<string>("text.format.name", format["name"], { type: "string" });
  const description = read<string>("text.format.description", format["description"], { type: "string" });
  return {
    type,
    ...(name === null ? {} : { name }),
    ...(description === null ? {} : { description }),
    schema,
    ...(strict === null ? {} : { strict }),
  };
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
