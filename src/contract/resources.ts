// Response, conversation, item list, model and usage. @spec resources
import Type, { type Static } from "typebox";
import { FAILURE_CODES } from "./failures.ts";
import { Item, OutputItem, UnreadableItem } from "./items.ts";
import { METADATA_KEY_CHARACTERS_MAX, METADATA_PAIRS_MAX, METADATA_VALUE_CHARACTERS_MAX } from "./limits.ts";
import { oneOf, orNull } from "./shapes.ts";
import { REASONING_EFFORTS, REASONING_SUMMARIES, TextReport, TRUNCATIONS } from "./settings.ts";
import { EchoedTool, EchoedToolChoice } from "./tools.ts";

const unixSeconds = Type.Integer({ format: "int64", description: "Unix seconds." });

/** Labels: at most 16 pairs, keys of at most 64, values of at most 512 characters. */
export const Metadata = Type.Record(Type.String(), Type.String({ maxLength: METADATA_VALUE_CHARACTERS_MAX }), {
  maxProperties: METADATA_PAIRS_MAX,
  propertyNames: { maxLength: METADATA_KEY_CHARACTERS_MAX },
});

/** Token counts of a settled response: the running total of its turn. @spec resources/usage */
export const Usage = Type.Object({
  input_tokens: Type.Integer(),
  input_tokens_details: Type.Object({ cached_tokens: Type.Integer(), cache_write_tokens: Type.Integer() }),
  output_tokens: Type.Integer(),
  output_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
  total_tokens: Type.Integer(),
});

export const Warning = Type.Object({ code: Type.String(), message: Type.String(), param: orNull(Type.String()) });

/** Details of a failure: never a provider's key or headers (docs/wire.md, Objects). */
export const FailureDetail = Type.Object({
  type: Type.String(),
  code: Type.String(),
  message: Type.String(),
  provider: orNull(Type.String()),
  provider_status: orNull(Type.Integer()),
  provider_request_id: orNull(Type.String()),
  retryable: Type.Boolean(),
});

/** A call of a target that failed before another one was asked (docs/wire.md, Objects). */
export const FailedAttempt = Type.Object({
  target: Type.String(),
  code: oneOf(FAILURE_CODES),
  provider_status: orNull(Type.Integer()),
  provider_request_id: orNull(Type.String()),
  started_ms: Type.Integer({ description: "Milliseconds from the turn's begin." }),
  duration_ms: Type.Integer(),
});

/** The response object. @spec resources/response-object */
export const ResponseObject = Type.Object({
  id: Type.String({ pattern: "^resp_" }),
  object: Type.Literal("response"),
  status: Type.String({
    description: "queued, in_progress, completed, failed, incomplete, cancelled; an open string.",
  }),
  created_at: unixSeconds,
  completed_at: orNull(unixSeconds),
  background: Type.Boolean(),
  conversation: orNull(Type.Object({ id: Type.String() })),
  error: orNull(Type.Object({ code: oneOf(FAILURE_CODES), message: Type.String() })),
  incomplete_details: orNull(Type.Object({ reason: Type.String() })),
  instructions: orNull(Type.String()),
  max_output_tokens: orNull(Type.Integer()),
  max_tool_calls: orNull(Type.Integer()),
  metadata: orNull(Metadata),
  model: Type.String(),
  output: Type.Array(OutputItem),
  parallel_tool_calls: Type.Boolean(),
  presence_penalty: Type.Number(),
  frequency_penalty: Type.Number(),
  temperature: Type.Number(),
  top_p: Type.Number(),
  top_logprobs: Type.Integer(),
  previous_response_id: orNull(Type.String()),
  prompt_cache_key: Type.Null(),
  reasoning: orNull(Type.Object({ effort: oneOf(REASONING_EFFORTS), summary: orNull(oneOf(REASONING_SUMMARIES)) })),
  safety_identifier: orNull(Type.String()),
  service_tier: Type.String(),
  store: Type.Boolean(),
  text: TextReport,
  tool_choice: EchoedToolChoice,
  tools: Type.Array(EchoedTool),
  truncation: oneOf(TRUNCATIONS),
  usage: Type.Optional(Usage),
  "svc:tool_calls_dropped": Type.Optional(Type.Integer()),
  /** Placeholders of output items that cannot be read; absent when all can. */
  "svc:unreadable": Type.Optional(Type.Array(UnreadableItem)),
  "svc:warnings": Type.Optional(Type.Array(Warning)),
  "svc:error": Type.Optional(FailureDetail),
  /** Absent when the model has no targets, or none was asked. */
  "svc:target": Type.Optional(Type.String()),
  /** Absent when none failed. */
  "svc:attempts": Type.Optional(Type.Array(FailedAttempt)),
});

export const DeletedResponse = Type.Object({
  id: Type.String(),
  object: Type.Literal("response.deleted"),
  deleted: Type.Literal(true),
});

export const Conversation = Type.Object({
  id: Type.String({ pattern: "^conv_" }),
  object: Type.Literal("conversation"),
  created_at: unixSeconds,
  metadata: Metadata,
});

export const DeletedConversation = Type.Object({
  id: Type.String(),
  object: Type.Literal("conversation.deleted"),
  deleted: Type.Literal(true),
});

export const ItemList = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(Item),
  first_id: Type.String(),
  last_id: Type.String(),
  has_more: Type.Boolean(),
  "svc:unreadable": Type.Optional(Type.Array(UnreadableItem)),
});

/** A model of the catalog. @spec resources/model */
export const Model = Type.Object({
  id: Type.String(),
  object: Type.Literal("model"),
  created: unixSeconds,
  owned_by: Type.String(),
});

export const ModelList = Type.Object({ object: Type.Literal("list"), data: Type.Array(Model) });

export type Metadata = Static<typeof Metadata>;
export type Usage = Static<typeof Usage>;
export type Warning = Static<typeof Warning>;
export type FailedAttempt = Static<typeof FailedAttempt>;
export type FailureDetail = Static<typeof FailureDetail>;
export type ResponseObject = Static<typeof ResponseObject>;
export type DeletedResponse = Static<typeof DeletedResponse>;
export type Conversation = Static<typeof Conversation>;
export type DeletedConversation = Static<typeof DeletedConversation>;
export type ItemList = Static<typeof ItemList>;
export type Model = Static<typeof Model>;
export type ModelList = Static<typeof ModelList>;
