// How input becomes a user turn: the specification's table, one function for each row. First and later turns follow the
// same table. Each item by itself, with its parts, has been checked before (core/reading/input-items.ts).
// @spec endpoints/post-responses (How input becomes a turn)
import { countCharacters } from "../../contract/characters.ts";
import { invalidInput } from "../../contract/errors.ts";
import type { ItemId } from "../../contract/ids.ts";
import type { Item, MessagePart } from "../../contract/items.ts";
import { checkCallPairs, linkOutputs } from "../history/call-pairs.ts";
import { callSize, type NewItem, outputSize } from "../history/history-item.ts";
import { type InputItem, type InputMessage, type InputPart, itemError, type SentItem } from "../history/input-item.ts";

/** Joins the user messages of one input. */
export const SEPARATOR = "\n\n";

/** Creates the id of an item. */
export type MintItemId = (kind: "message" | "function_call" | "function_call_output" | "reasoning") => ItemId;

export type TurnInputItem = Pick<NewItem, "item" | "carried" | "answers">;

export interface UserTurnContext {
  /**
   * Whether no response is continued; a conversation may hold items all the same. An item_reference is then an error.
   */
  readonly isFirstTurn: boolean;
  /** Whether the history holds an item with this id. */
  holdsItem(id: string): boolean;
}

/** The checked input of a user turn: a bare string, or items that yield user text. */
export type UserTurn = string | UserItems;

interface UserItems {
  readonly items: readonly InputItem[];
  /** The user text of each item; null for an item without. */
  readonly texts: readonly (string | null)[];
}

/** Checks the input of a user turn. Throws 400 param `input`; an error about an item names its index and type. */
export function readUserTurn(input: string | readonly SentItem[], context: UserTurnContext): UserTurn {
  if (typeof input === "string") return input;
  const items = input.map(readItem);
  // Outputs without any call and without user text have a message of their own, in noUserText.
  if (items.some((item) => item.type === "function_call" || hasUserText(item))) checkCallPairs(items, "input");
  for (const item of items) checkReference(item, context);
  const texts = items.map(userText);
  if (texts.every((text) => text === null)) throw noUserText(items, context);
  return { items, texts };
}

/**
 * The items that a user turn adds. The joined user message takes the place of the last user item, so that the model
 * answers the user and not an exchange carried between two messages. The other items keep their places.
 */
export function planUserTurn(turn: UserTurn, mint: MintItemId): TurnInputItem[] {
  const items = itemsOfUserTurn(turn, mint);
  const links = linkOutputs(items);
  return items.map((item, at) => ({
    item,
    carried: item.type === "function_call" || item.type === "function_call_output",
    answers: links[at] ?? null,
  }));
}

function itemsOfUserTurn(turn: UserTurn, mint: MintItemId): Item[] {
  if (typeof turn === "string") return [userMessage([turn], mint)];
  const added: Item[] = [];
  const lastText = turn.texts.findLastIndex((text) => text !== null);
  for (const [index, item] of turn.items.entries()) {
    switch (item.type) {
      case "message":
        if (index === lastText) added.push(userMessage(userTexts(turn), mint));
        break;
      case "item_reference":
        break;
      default:
        added.push(toStoredItem(item, mint));
    }
  }
  return added;
}

/** Characters that a user turn counts towards the window, computed before its items exist. */
export function sizeOfUserTurn(turn: UserTurn): number {
  if (typeof turn === "string") return countCharacters(turn);
  const texts = userTexts(turn);
  let size = SEPARATOR.length * (texts.length - 1);
  for (const text of texts) size += countCharacters(text);
  for (const item of turn.items) {
    if (item.type === "function_call") size += callSize(item.callId, item.name, item.arguments);
    else if (item.type === "function_call_output") size += outputSize(item.callId, item.output);
  }
  return size;
}

/** The texts that the user message joins; at least one. */
function userTexts({ texts }: UserItems): string[] {
  return texts.filter((text) => text !== null);
}

/**
 * The item, or the error that was deferred because the item might have accompanied tool outputs, which makes it
 * ignored.
 */
function readItem(item: SentItem): InputItem {
  if (item.type === "unread") throw item.error;
  return item;
}

/**
 * Rows "message items with role user" and "multi-part user content": parts are joined with newlines; empty content is
 * skipped.
 */
export function userText(item: InputItem): string | null {
  if (!hasUserText(item)) return null;
  return typeof item.content === "string" ? item.content : item.content.map((part) => part.text).join("\n");
}

function hasUserText(item: InputItem): item is InputMessage {
  if (item.type !== "message" || item.role !== "user") return false;
  return typeof item.content === "string" ? item.content !== "" : item.content.some((part) => part.text !== "");
}

/**
 * Row "item_reference": an item already in the history adds nothing, an unknown one is an error.
 * docs/wire.md (Item references)
 */
function checkReference(item: InputItem, context: UserTurnContext): void {
  if (item.type !== "item_reference") return;
  if (context.isFirstTurn) {
    throw itemError("input", item, "the first turn of a conversation refers to no item; send the item itself.");
  }
  if (!context.holdsItem(item.id)) {
    throw itemError("input", item, `the history holds no item ${JSON.stringify(item.id)}.`);
  }
}

/** Row "array yielding no user text". */
function noUserText(input: readonly InputItem[], context: UserTurnContext) {
  if (input.some((item) => item.type === "function_call_output")) {
    return context.isFirstTurn
      ? invalidInput(
          "input",
          "input holds a function_call_output but no user text: a new conversation has no waiting tool call. " +
            "Send tool outputs with previous_response_id or conversation.",
        )
      : invalidInput(
          "input",
          "input holds a function_call_output that answers no waiting tool call, and no user text.",
        );
  }
  return invalidInput("input", "input holds no user text: send a string or a user message with text.");
}

function userMessage(texts: readonly string[], mint: MintItemId): Item {
  const text = texts.join(SEPARATOR);
  return {
    type: "message",
    id: mint("message"),
    role: "user",
    status: "completed",
    content: [{ type: "input_text", text }],
  };
}

/** A client's item in the shape in which it is stored and listed, with a new id. */
export function toStoredItem(item: Exclude<InputItem, { type: "item_reference" }>, mint: MintItemId): Item {
  switch (item.type) {
    case "function_call":
      return {
        type: "function_call",
        id: mint("function_call"),
        call_id: item.callId,
        name: item.name,
        arguments: item.arguments,
        status: "completed",
      };
    case "function_call_output":
      return {
        type: "function_call_output",
        id: mint("function_call_output"),
        call_id: item.callId,
        output: item.output,
        status: "completed",
      };
    case "reasoning":
      return {
        type: "reasoning",
        id: mint("reasoning"),
        summary: item.summary.map((text) => ({ type: "summary_text", text })),
        ...(item.content === null
          ? {}
          : { content: item.content.map((text) => ({ type: "reasoning_text" as const, text })) }),
        ...(item.encryptedContent === null ? {} : { encrypted_content: item.encryptedContent }),
      };
    case "message": {
      const partType = item.role === "assistant" ? "output_text" : "input_text";
      const parts = typeof item.content === "string" ? [{ type: partType, text: item.content } as const] : item.content;
      return {
        type: "message",
        id: mint("message"),
        role: item.role,
        status: "completed",
        content: parts.map(toStoredPart),
        ...(item.phase === null ? {} : { phase: item.phase }),
      };
    }
    default:
      return item satisfies never;
  }
}

function toStoredPart({ type, text, annotations = [] }: InputPart): MessagePart {
  return type === "output_text" ? { type, text, annotations: [...annotations], logprobs: [] } : { type, text };
}
