// The bodies that the service reads, field by field: the readers of core/reading check against these shapes, the OpenAPI
// document publishes them. A field not named here is ignored. @spec endpoints
import Type from "typebox";
import { idPattern } from "./ids.ts";
import { INCLUDE_VALUES } from "./include.ts";
import { MESSAGE_ROLES, SummaryTextPart, TEXT_PART_TYPES } from "./items.ts";
import {
  ITEMS_PER_CALL_MAX,
  MAX_OUTPUT_TOKENS_MIN,
  MAX_TOOL_CALLS_MIN,
  SAFETY_IDENTIFIER_CHARACTERS_MAX,
} from "./limits.ts";
import { oneOf } from "./one-of.ts";
import { Metadata } from "./resources.ts";
import { SERVICE_TIERS, TextFormat, TRUNCATIONS, VERBOSITY } from "./settings.ts";
import { FunctionTool, ToolChoice } from "./tools.ts";

const TextInputPart = Type.Object({ type: oneOf(TEXT_PART_TYPES), text: Type.String() });
const Content = Type.Union([Type.String(), Type.Array(TextInputPart)]);

/** An item as a client sends it; `type` may be left out of a message and of an item_reference. */
export const InputItem = Type.Union([
  Type.Object({ type: Type.Optional(Type.Literal("message")), role: oneOf(MESSAGE_ROLES), content: Content }),
  Type.Object({
    type: Type.Literal("function_call"),
    call_id: Type.String(),
    name: Type.String(),
    arguments: Type.String(),
  }),
  Type.Object({
    type: Type.Literal("function_call_output"),
    call_id: Type.String(),
    output: Content,
  }),
  Type.Object({
    type: Type.Literal("reasoning"),
    summary: Type.Optional(Type.Array(SummaryTextPart)),
    encrypted_content: Type.Optional(Type.String()),
  }),
  Type.Object({ type: Type.Optional(Type.Literal("item_reference")), id: Type.String() }),
]);

/** POST /responses, the fields that are applied or checked. Null is taken for absent everywhere. */
export const CREATE_RESPONSE_FIELDS = {
  model: Type.String({ minLength: 1 }),
  input: Type.Union([Type.String(), Type.Array(InputItem)]),
  previous_response_id: Type.String({ pattern: idPattern("response") }),
  conversation: Type.Union([Type.String(), Type.Object({ id: Type.String() })]),
  instructions: Type.String(),
  metadata: Metadata,
  safety_identifier: Type.String({ maxLength: SAFETY_IDENTIFIER_CHARACTERS_MAX }),
  user: Type.String({ deprecated: true }),
  tools: Type.Array(FunctionTool),
  tool_choice: ToolChoice,
  parallel_tool_calls: Type.Boolean(),
  max_tool_calls: Type.Integer({ minimum: MAX_TOOL_CALLS_MIN }),
  max_output_tokens: Type.Integer({ minimum: MAX_OUTPUT_TOKENS_MIN }),
  truncation: oneOf(TRUNCATIONS),
  stream: Type.Boolean(),
  stream_options: Type.Object({ include_obfuscation: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])) }),
  temperature: Type.Number(),
  top_p: Type.Number(),
  presence_penalty: Type.Number(),
  frequency_penalty: Type.Number(),
  text: Type.Object({
    format: Type.Optional(Type.Union([TextFormat, Type.Null()])),
    verbosity: Type.Optional(Type.Union([VERBOSITY, Type.Null()])),
  }),
  include: Type.Array(oneOf(INCLUDE_VALUES)),
  prompt_cache_key: Type.String(),
  service_tier: oneOf(SERVICE_TIERS),
  background: Type.Literal(false),
  store: Type.Literal(true),
} as const;

export const CreateResponseBody = Type.Partial(Type.Object(CREATE_RESPONSE_FIELDS));

export const CreateConversationBody = Type.Object({
  items: Type.Optional(Type.Union([Type.Array(InputItem, { maxItems: ITEMS_PER_CALL_MAX }), Type.Null()])),
  metadata: Type.Optional(Type.Union([Metadata, Type.Null()])),
});

export const UpdateConversationBody = Type.Object({ metadata: Metadata });

export const AddItemsBody = Type.Object({ items: Type.Array(InputItem, { maxItems: ITEMS_PER_CALL_MAX }) });
