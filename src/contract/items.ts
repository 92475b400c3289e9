// Items and content parts on the wire. @spec resources/output-items, resources/content-parts
import Type, { type Static } from "typebox";
import { oneOf } from "./shapes.ts";

export const ITEM_STATUSES = ["in_progress", "completed", "incomplete"] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

export const MESSAGE_ROLES = ["user", "assistant", "system", "developer"] as const;
export type MessageRole = (typeof MESSAGE_ROLES)[number];

export const MESSAGE_PHASES = ["commentary", "final_answer"] as const;
/** Whether a message comments on the model's work or is its final answer. */
export type MessagePhase = (typeof MESSAGE_PHASES)[number];

const ItemStatusShape = oneOf(ITEM_STATUSES);

export const UrlCitation = Type.Object({
  type: Type.Literal("url_citation"),
  url: Type.String(),
  title: Type.String(),
  start_index: Type.Integer(),
  end_index: Type.Integer(),
});

export const InputTextPart = Type.Object({ type: Type.Literal("input_text"), text: Type.String() });
export const OutputTextPart = Type.Object({
  type: Type.Literal("output_text"),
  text: Type.String(),
  annotations: Type.Array(UrlCitation),
  logprobs: Type.Array(Type.Unknown(), { maxItems: 0 }),
});
export const TextPart = Type.Object({ type: Type.Literal("text"), text: Type.String() });
export const SummaryTextPart = Type.Object({ type: Type.Literal("summary_text"), text: Type.String() });
export const ReasoningTextPart = Type.Object({ type: Type.Literal("reasoning_text"), text: Type.String() });
export const RefusalPart = Type.Object({ type: Type.Literal("refusal"), refusal: Type.String() });

/** The part types that are accepted in input. */
export const TEXT_PART_TYPES = ["input_text", "output_text", "text"] as const;
/** Part types of the specification that this service rejects in input, naming the type. */
export const UNSUPPORTED_PART_TYPES = [
  "input_image",
  "input_file",
  "input_video",
  "summary_text",
  "reasoning_text",
  "refusal",
] as const;

export const Message = Type.Object({
  type: Type.Literal("message"),
  id: Type.String({ pattern: "^msg_" }),
  role: oneOf(MESSAGE_ROLES),
  status: ItemStatusShape,
  content: Type.Array(Type.Union([InputTextPart, OutputTextPart, TextPart, RefusalPart])),
  phase: Type.Optional(oneOf(MESSAGE_PHASES)),
});

export const FunctionCall = Type.Object({
  type: Type.Literal("function_call"),
  id: Type.String({ pattern: "^fc_" }),
  call_id: Type.String(),
  name: Type.String(),
  arguments: Type.String({ description: "A string holding a JSON object." }),
  status: ItemStatusShape,
});

export const FunctionCallOutput = Type.Object({
  type: Type.Literal("function_call_output"),
  id: Type.String({ pattern: "^fco_" }),
  call_id: Type.String(),
  output: Type.String(),
  status: ItemStatusShape,
});

export const Reasoning = Type.Object({
  type: Type.Literal("reasoning"),
  id: Type.String({ pattern: "^rs_" }),
  summary: Type.Array(SummaryTextPart),
  content: Type.Optional(Type.Array(ReasoningTextPart)),
  encrypted_content: Type.Optional(Type.String({ description: "Only with include reasoning.encrypted_content." })),
});

/** An item of a response's `output`. */
export const OutputItem = Type.Union([Message, FunctionCall, Reasoning]);
/** An item of a conversation. */
export const Item = Type.Union([Message, FunctionCall, FunctionCallOutput, Reasoning]);

/** The placeholder of a stored item that cannot be read. @spec resources/conversation-item-list */
export const UnreadableItem = Type.Object({
  type: Type.Literal("item_unreadable"),
  id: Type.String(),
  message: Type.String(),
});

export type UrlCitation = Static<typeof UrlCitation>;
export type InputTextPart = Static<typeof InputTextPart>;
export type OutputTextPart = Static<typeof OutputTextPart>;
export type RefusalPart = Static<typeof RefusalPart>;
export type MessagePart = Static<typeof Message>["content"][number];
export type Message = Static<typeof Message>;
export type FunctionCall = Static<typeof FunctionCall>;
export type FunctionCallOutput = Static<typeof FunctionCallOutput>;
export type Reasoning = Static<typeof Reasoning>;
export type OutputItem = Static<typeof OutputItem>;
export type Item = Static<typeof Item>;
export type UnreadableItem = Static<typeof UnreadableItem>;
