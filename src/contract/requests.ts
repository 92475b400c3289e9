// The shapes of the request bodies. The readers in core/reading check against them and the OpenAPI document publishes
// them; fields not named here are ignored. @spec endpoints
import Type, { type Static, type TSchema } from "typebox";
import { idPattern } from "./ids.ts";
import { ENCRYPTED_CONTENT, INCLUDE_VALUES } from "./include.ts";
import {
  MESSAGE_PHASES,
  MESSAGE_ROLES,
  ReasoningTextPart,
  SummaryTextPart,
  TEXT_PART_TYPES,
  UrlCitation,
} from "./items.ts";
import {
  ITEMS_PER_CALL_MAX,
  MAX_OUTPUT_TOKENS_MIN,
  MAX_TOOL_CALLS_MIN,
  SAFETY_IDENTIFIER_CHARACTERS_MAX,
} from "./limits.ts";
import { oneOf, orNull } from "./shapes.ts";
import { Metadata } from "./resources.ts";
import { SERVICE_TIERS, SETTING_RANGES, SentTextFormat, TRUNCATIONS, VERBOSITY } from "./settings.ts";
import { FunctionTool, ToolChoice } from "./tools.ts";

const TextInputPart = Type.Object({ type: oneOf(TEXT_PART_TYPES), text: Type.String() });
const Content = Type.Union([Type.String(), Type.Array(TextInputPart)]);

function inputMessage<Parts extends TSchema>(content: Parts) {
  return Type.Object({
    type: Type.Optional(orNull(Type.Literal("message"))),
    role: oneOf(MESSAGE_ROLES),
    content,
    phase: Type.Optional(orNull(oneOf(MESSAGE_PHASES))),
  });
}

/** A name or id; must not be empty. */
const Named = Type.String({ minLength: 1 });

const OTHER_ITEMS = [
  Type.Object({
    type: Type.Literal("function_call"),
    call_id: Named,
    name: Named,
    arguments: Type.String(),
  }),
  Type.Object({
    type: Type.Literal("function_call_output"),
    call_id: Named,
    output: Content,
  }),
  Type.Object({
    type: Type.Literal("reasoning"),
    summary: Type.Optional(orNull(Type.Array(SummaryTextPart))),
    content: Type.Optional(orNull(Type.Array(ReasoningTextPart))),
    encrypted_content: Type.Optional(orNull(Type.String())),
  }),
] as const;

const ItemReference = Type.Object({ type: Type.Optional(orNull(Type.Literal("item_reference"))), id: Named });

/** An item as a client sends it; `type` may be left out of a message and of an item_reference. */
export const InputItem = Type.Union([inputMessage(Content), ...OTHER_ITEMS, ItemReference]);

/** A citation, whose indexes are counted from 0. */
const AddedCitation = Type.Object({
  ...UrlCitation.properties,
  start_index: Type.Integer({ minimum: 0 }),
  end_index: Type.Integer({ minimum: 0 }),
});

const AddedTextPart = Type.Union([
  Type.Object({ type: oneOf(["input_text", "text"]), text: Type.String() }),
  Type.Object({
    type: Type.Literal("output_text"),
    text: Type.String(),
    annotations: Type.Optional(
      orNull(
        Type.Array(Type.Union([AddedCitation, Type.Object({ type: Type.String({ pattern: "^(?!url_citation$)" }) })])),
        { description: "url_citation annotations are kept; those of other kinds are not." },
      ),
    ),
  }),
]);

/** An item that is added to a conversation; its text may carry citations. */
export const AddedItem = Type.Union([
  inputMessage(Type.Union([Type.String(), Type.Array(AddedTextPart)])),
  ...OTHER_ITEMS,
]);

/** Fields of POST /responses that are 400 whenever they have a value, each with the reason. */
export const REJECTED_FIELDS = {
  reasoning: "a model's reasoning is set in the catalog",
  starting_after: "a stream cannot be resumed; retrieve the response by its id",
  top_logprobs: "no model produces them",
} as const;

/** Whether a user turn is rejected while function calls wait for their outputs, or closes those calls and proceeds. */
export const UNANSWERED_CALLS = ["refuse", "drop"] as const;
export type UnansweredCalls = (typeof UNANSWERED_CALLS)[number];

/** The fields of POST /responses that are applied or checked. Null counts as absent. */
export const CREATE_RESPONSE_FIELDS = {
  model: Type.String({ minLength: 1 }),
  input: Type.Union([Type.String({ minLength: 1 }), Type.Array(InputItem)]),
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
  stream_options: Type.Object({ include_obfuscation: Type.Optional(orNull(Type.Boolean())) }),
  temperature: Type.Number(SETTING_RANGES.temperature),
  top_p: Type.Number(SETTING_RANGES.top_p),
  presence_penalty: Type.Number(SETTING_RANGES.presence_penalty),
  frequency_penalty: Type.Number(SETTING_RANGES.frequency_penalty),
  text: Type.Object({
    format: Type.Optional(orNull(SentTextFormat)),
    verbosity: Type.Optional(orNull(VERBOSITY)),
  }),
  include: Type.Array(oneOf(INCLUDE_VALUES), {
    description: `Only ${ENCRYPTED_CONTENT} adds something; the other values are rejected.`,
  }),
  prompt_cache_key: Type.String(),
  service_tier: oneOf(SERVICE_TIERS),
  background: Type.Literal(false),
  store: Type.Literal(true),
  "svc:unanswered_calls": oneOf(
    UNANSWERED_CALLS,
    "What happens to a user turn while function calls of its conversation wait for their outputs: `refuse` returns 400; `drop` closes " +
      "the calls and proceeds: they stay in the list, are left out of the prompt, and no longer accept outputs. The default is that " +
      "of the API key, `refuse` unless it was changed.",
  ),
} as const;

/** The type of a field of POST /responses. */
export type CreateResponseField<Name extends keyof typeof CREATE_RESPONSE_FIELDS> = Static<
  (typeof CREATE_RESPONSE_FIELDS)[Name]
>;

export const CreateResponseBody = Type.Partial(Type.Object(CREATE_RESPONSE_FIELDS));

export const CreateConversationBody = Type.Object({
  items: Type.Optional(orNull(Type.Array(AddedItem, { maxItems: ITEMS_PER_CALL_MAX }))),
  metadata: Type.Optional(orNull(Metadata)),
});

export const UpdateConversationBody = Type.Object({ metadata: Metadata });

export const AddItemsBody = Type.Object({ items: Type.Array(AddedItem, { maxItems: ITEMS_PER_CALL_MAX }) });
