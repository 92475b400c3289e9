// How input becomes a turn: the specification's table, a function a row. Later turns follow the same table.
// @spec endpoints/post-responses (How input becomes a turn)
import { countCharacters } from "../../contract/characters.ts";
import { invalidInput } from "../../contract/errors.ts";
import type { ItemId } from "../../contract/ids.ts";
import type { Item } from "../../contract/items.ts";
import { callSize, outputSize } from "../history/history-item.ts";
import {
  type InputCall,
  type InputCallOutput,
  type InputItem,
  refuseItem,
  type SentItem,
} from "../reading/input-items.ts";

/** Between the user messages of one input. */
const PARTED = "\n\n";

/** Gives ids to the items of a turn. */
export type MintItemId = (kind: "message" | "function_call" | "function_call_output" | "reasoning") => ItemId;

export interface TurnInputItem {
  readonly item: Item;
  readonly carried: boolean;
}

export interface TurnContext {
  /** Whether a history is continued: item_reference may then point into it, and the sentences differ. */
  readonly isFirstTurn: boolean;
  /** Whether the history holds an item of that id. */
  holdsItem(id: string): boolean;
}

/** A user turn's input that has passed the table: a bare string, or its items, which yield user text. */
export type UserTurn = string | UserItems;

interface UserItems {
  readonly items: readonly InputItem[];
  /** The user text of each item; null where it has none. */
  readonly texts: readonly (string | null)[];
}

/** Checks the input of a user turn. Every refusal is a 400 param `input`; one about an item names its index and type. */
export function readUserTurn(input: string | readonly SentItem[], context: TurnContext): UserTurn {
  if (typeof input === "string") return input;
  const items = input.map(readOrRefuse);
  checkPairs(items, "input");
  for (const item of items) checkReference(item, context);
  const texts = items.map(userText);
  if (texts.every((text) => text === null)) throw noUserText(items, context);
  return { items, texts };
}

/** The items that a user turn adds: the joined user message stands where its first item stood, the others keep their places. */
export function planUserTurn(turn: UserTurn, mint: MintItemId): TurnInputItem[] {
  if (typeof turn === "string") return [userMessage([turn], mint)];
  const laid: TurnInputItem[] = [];
  let isJoined = false;
  for (const [index, item] of turn.items.entries()) {
    switch (item.type) {
      case "message":
        if (turn.texts[index] === null || isJoined) break;
        laid.push(userMessage(userTexts(turn), mint));
        isJoined = true;
        break;
      case "item_reference":
        break;
      default:
        laid.push({ item: toStoredItem(item, mint), carried: item.type !== "reasoning" });
    }
  }
  return laid;
}

/** Characters that a user turn counts towards the window: what its items, which do not exist yet, will. */
export function sizeOfUserTurn(turn: UserTurn): number {
  if (typeof turn === "string") return countCharacters(turn);
  const texts = userTexts(turn);
  let size = PARTED.length * (texts.length - 1);
  for (const text of texts) size += countCharacters(text);
  for (const item of turn.items) {
    if (item.type === "function_call") size += callSize(item.callId, item.name, item.arguments);
    else if (item.type === "function_call_output") size += outputSize(item.callId, item.output);
  }
  return size;
}

/** What a turn's user message joins; one text at least. */
function userTexts({ texts }: UserItems): string[] {
  return texts.filter((text) => text !== null);
}

/** The refusal of an item that was kept because it might have come along with tool outputs. */
function readOrRefuse(item: SentItem): InputItem {
  if (item.type === "unread") throw item.refusal;
  return item;
}

/** Rows "message items with role user" and "multi-part user content": parts are joined with newlines; empty content is skipped. */
function userText(item: InputItem): string | null {
  if (item.type !== "message" || item.role !== "user") return null;
  const texts = typeof item.content === "string" ? [item.content] : item.content.map((part) => part.text);
  return texts.every((text) => text === "") ? null : texts.join("\n");
}

function hasUserText(item: InputItem): boolean {
  return userText(item) !== null;
}

/**
 * Rows "function_call with its matching function_call_output" and the one below: half a pair is refused, naming the missing half, and so is
 * an output before its call, which no model could make sense of.
 */
export function checkPairs(
  items: readonly InputItem[],
  param: "input" | "items",
  answersElsewhere: (callId: string) => boolean = () => false,
): void {
  const calls = new Map<string, InputCall>();
  const outputs = new Map<string, InputCallOutput>();
  for (const item of items) {
    if (item.type !== "function_call" && item.type !== "function_call_output") continue;
    const seen: Map<string, InputItem> = item.type === "function_call" ? calls : outputs;
    if (seen.has(item.callId)) {
      throw refuseItem(
        param,
        item.index,
        item.type,
        `call_id ${JSON.stringify(item.callId)} is already used by another ${item.type}.`,
      );
    }
    seen.set(item.callId, item);
  }
  for (const item of items) {
    if (item.type === "function_call" && !outputs.has(item.callId)) {
      throw refuseItem(
        param,
        item.index,
        item.type,
        `the function_call_output with call_id ${JSON.stringify(item.callId)} is missing.`,
      );
    }
    if (item.type !== "function_call_output") continue;
    const call = calls.get(item.callId);
    if (call !== undefined && call.index > item.index) {
      throw refuseItem(
        param,
        item.index,
        item.type,
        `the function_call with call_id ${JSON.stringify(item.callId)} stands behind it: a call goes before its output.`,
      );
    }
    if (call === undefined && !answersElsewhere(item.callId)) {
      // Outputs that come without calls and without user text have a sentence of their own below.
      if (param === "input" && calls.size === 0 && !items.some(hasUserText)) continue;
      throw refuseItem(
        param,
        item.index,
        item.type,
        `the function_call with call_id ${JSON.stringify(item.callId)} is missing.`,
      );
    }
  }
}

/** Row "item_reference", and rule 7 of docs/wire.md: an item already in the history adds nothing, an unknown one is refused. */
function checkReference(item: InputItem, context: TurnContext): void {
  if (item.type !== "item_reference") return;
  if (context.isFirstTurn) {
    throw refuseItem("input", item.index, item.type, "a new conversation holds no items yet; send the item itself.");
  }
  if (!context.holdsItem(item.id)) {
    throw refuseItem("input", item.index, item.type, `the history holds no item ${JSON.stringify(item.id)}.`);
  }
}

/** Row "array yielding no user text". */
function noUserText(input: readonly InputItem[], context: TurnContext) {
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

function userMessage(texts: readonly string[], mint: MintItemId): TurnInputItem {
  const text = texts.join(PARTED);
  return {
    item: {
      type: "message",
      id: mint("message"),
      role: "user",
      status: "completed",
      content: [{ type: "input_text", text }],
    },
    carried: false,
  };
}

/** An item that a client sent, in the shape that it is stored and listed in, with an id of ours. */
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
        content: parts.map(({ type, text }) =>
          type === "output_text" ? { type, text, annotations: [], logprobs: [] } : { type, text },
        ),
        ...(item.phase === null ? {} : { phase: item.phase }),
      };
    }
    default:
      return item satisfies never;
  }
}
