// Items as clients send them, read one by one: what each is, not yet what may be done with it. @spec resources/input-items
import { invalidInput, Refusal } from "../../contract/errors.ts";
import {
  MESSAGE_PHASES,
  MESSAGE_ROLES,
  type MessageRole,
  REFUSED_PART_TYPES,
  TEXT_PART_TYPES,
} from "../../contract/items.ts";
import { describe, isJsonObject, type JsonObject } from "./json-body.ts";

export type TextPartType = (typeof TEXT_PART_TYPES)[number];

export interface InputTextItem {
  readonly type: TextPartType;
  readonly text: string;
}

/** An item of a request, with its index in the array: refusals name it. */
export type InputItem =
  | {
      readonly type: "message";
      readonly index: number;
      readonly role: MessageRole;
      /** A bare string, or its text parts. */
      readonly content: string | readonly InputTextItem[];
      readonly phase: (typeof MESSAGE_PHASES)[number] | null;
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

/** An item that can't be read, kept with its refusal: among tool outputs it is ignored, in a user turn refused. */
export interface UnreadItem {
  readonly type: "unread";
  readonly index: number;
  readonly refusal: Refusal;
}

/** An item of a create. */
export type SentItem = InputItem | UnreadItem;

export type InputCall = Extract<InputItem, { type: "function_call" }>;
export type InputCallOutput = Extract<InputItem, { type: "function_call_output" }>;

/** Which request the items stand in: the refusal's `param`, and whose roles are read. */
export interface ItemsField {
  readonly param: "input" | "items";
  /** Roles refused before their content is looked at, each with what to use instead. */
  readonly refusedRoles: Partial<Record<MessageRole, string>>;
}

/** Reads an array of items; the first one that cannot be read is refused, naming its index and type. */
export function readInputItems(values: readonly unknown[], field: ItemsField): InputItem[] {
  return values.map((value, index) => readItem(value, index, field));
}

/**
 * Reads the items of a create that may answer waiting calls. What comes along with tool outputs is ignored, whatever it is, and only
 * the history tells whether they answer: an item other than an output that can't be read is kept with its refusal.
 */
export function readResentItems(values: readonly unknown[], field: ItemsField): SentItem[] {
  return values.map((value, index) => {
    try {
      return readItem(value, index, field);
    } catch (refusal) {
      if (!(refusal instanceof Refusal) || isCallOutput(value)) throw refusal;
      return { type: "unread", index, refusal };
    }
  });
}

/** Whether a value that was sent as an item is a function_call_output, well made or not. */
export function isCallOutput(value: unknown): boolean {
  return isJsonObject(value) && value["type"] === "function_call_output";
}

/** A refusal about one item: its place and type first, then what is wrong and what to do. */
export function refuseItem(param: string, index: number, type: string, message: string): Refusal {
  return invalidInput(param, `${param}[${index}] (${type}): ${message}`);
}

function readItem(value: unknown, index: number, field: ItemsField): InputItem {
  if (!isJsonObject(value)) {
    throw invalidInput(field.param, `${field.param}[${index}] must be an item object, not ${describe(value)}.`);
  }
  const type = typeOf(value);
  const refuse = (message: string) => refuseItem(field.param, index, type, message);
  const text = (key: string): string => {
    const found = value[key];
    if (typeof found !== "string" || found === "")
      throw refuse(`${key} must be a string that is not empty, not ${describe(found)}.`);
    return found;
  };
  switch (type) {
    case "message": {
      const role = MESSAGE_ROLES.find((candidate) => candidate === value["role"]);
      if (role === undefined)
        throw refuse(`role must be one of ${MESSAGE_ROLES.join(", ")}, not ${describe(value["role"])}.`);
      const instead = field.refusedRoles[role];
      if (instead !== undefined) throw refuse(instead);
      const phase = MESSAGE_PHASES.find((candidate) => candidate === value["phase"]) ?? null;
      return { type, index, role, content: readContent(value["content"], refuse), phase };
    }
    case "function_call": {
      const callArguments = value["arguments"];
      if (typeof callArguments !== "string")
        throw refuse(`arguments must be a string, not ${describe(callArguments)}.`);
      return { type, index, callId: text("call_id"), name: text("name"), arguments: callArguments };
    }
    case "function_call_output":
      return { type, index, callId: text("call_id"), output: readOutput(value["output"], refuse) };
    case "reasoning":
      return {
        type,
        index,
        summary: readTexts(value["summary"], "summary", "summary_text", refuse) ?? [],
        content: readTexts(value["content"], "content", "reasoning_text", refuse),
        encryptedContent: typeof value["encrypted_content"] === "string" ? value["encrypted_content"] : null,
      };
    case "item_reference":
      return { type, index, id: text("id") };
    default:
      throw refuse(
        "this item type is not accepted; send message, function_call, function_call_output, reasoning or item_reference items.",
      );
  }
}

/** `{role, content}` is a message and `{id}` alone an item_reference (docs/wire.md, objects). */
function typeOf(item: JsonObject): string {
  const type = item["type"];
  if (typeof type === "string") return type.length <= 64 ? type : "unknown type";
  if (type !== undefined && type !== null) return "unknown type";
  if (item["role"] !== undefined) return "message";
  return item["id"] === undefined ? "no type" : "item_reference";
}

type Refuse = (message: string) => Refusal;

function readContent(content: unknown, refuse: Refuse): string | readonly InputTextItem[] {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw refuse(`content must be a string or an array of parts, not ${describe(content)}.`);
  return content.map((part: unknown, place) => readTextPart(part, `content[${place}]`, refuse));
}

function readTextPart(part: unknown, path: string, refuse: Refuse): InputTextItem {
  if (!isJsonObject(part)) throw refuse(`${path} must be a part object, not ${describe(part)}.`);
  const type = TEXT_PART_TYPES.find((candidate) => candidate === part["type"]);
  if (type === undefined) {
    const refused = REFUSED_PART_TYPES.find((candidate) => candidate === part["type"]);
    throw refuse(
      refused === undefined
        ? `${path} has the type ${describe(part["type"])}; send text parts (${TEXT_PART_TYPES.join(", ")}).`
        : `${path} is a part of type ${refused}, which is not accepted; send text parts (${TEXT_PART_TYPES.join(", ")}).`,
    );
  }
  const text = part["text"];
  if (typeof text !== "string") throw refuse(`${path}.text must be a string, not ${describe(text)}.`);
  return { type, text };
}

function readOutput(output: unknown, refuse: Refuse): string {
  if (typeof output === "string") return output;
  if (!Array.isArray(output))
    throw refuse(`output must be a string or an array of text parts, not ${describe(output)}.`);
  return output.map((part: unknown, place) => readTextPart(part, `output[${place}]`, refuse).text).join("\n");
}

function readTexts(parts: unknown, key: string, type: string, refuse: Refuse): string[] | null {
  if (parts === undefined || parts === null) return null;
  if (!Array.isArray(parts)) throw refuse(`${key} must be an array of ${type} parts, not ${describe(parts)}.`);
  return parts.map((part: unknown, place) => {
    const text = isJsonObject(part) && part["type"] === type ? part["text"] : undefined;
    if (typeof text !== "string") throw refuse(`${key}[${place}] must be a ${type} part with a text.`);
    return text;
  });
}
