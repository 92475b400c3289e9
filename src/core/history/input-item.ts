// An item as a client sends it, read by itself (core/reading/input-items.ts). What it means for a turn or a conversation is
// decided later. @spec resources/input-items
import { type ApiError, invalidInput } from "../../contract/errors.ts";
import type { MessagePhase, MessageRole, TEXT_PART_TYPES, UrlCitation } from "../../contract/items.ts";

export type TextPartType = (typeof TEXT_PART_TYPES)[number];

/** A text part of a message. */
export interface InputPart {
  readonly type: TextPartType;
  readonly text: string;
  /** Citations of an output_text part that is added to a conversation; absent when there are none. */
  readonly annotations?: readonly UrlCitation[];
}

/** An item of a request, with its index for error messages. */
export type InputItem =
  | {
      readonly type: "message";
      readonly index: number;
      readonly role: MessageRole;
      readonly content: string | readonly InputPart[];
      readonly phase: MessagePhase | null;
    }
  | {
      readonly type: "function_call";
      readonly index: number;
      readonly callId: string;
      readonly name: string;
      readonly arguments: string;
    }
  | { readonly type: "function_call_output"; readonly index: number; readonly callId: string; readonly output: string }
  | {
      readonly type: "reasoning";
      readonly index: number;
      readonly summary: readonly string[];
      readonly content: readonly string[] | null;
      readonly encryptedContent: string | null;
    }
  | { readonly type: "item_reference"; readonly index: number; readonly id: string };

/** An invalid item with its error: ignored beside tool outputs, rejected in a user turn. */
export interface UnreadItem {
  readonly type: "unread";
  readonly index: number;
  /** Of a function call, as far as it can be read: the output behind it is resent too. */
  readonly callId: string | null;
  readonly error: ApiError;
}

/** An item of a create. */
export type SentItem = InputItem | UnreadItem;

export type InputMessage = Extract<InputItem, { type: "message" }>;
export type InputCall = Extract<InputItem, { type: "function_call" }>;
export type InputCallOutput = Extract<InputItem, { type: "function_call_output" }>;

/** 400 `invalid_input` about one item: index and type, then the problem and what to do. */
export function itemError(
  param: "input" | "items",
  { index, type }: { readonly index: number; readonly type: string },
  message: string,
): ApiError {
  return invalidInput(param, `${param}[${index}] (${type}): ${message}`);
}
