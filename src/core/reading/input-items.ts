// Reads items as clients send them, each by itself: their fields, and the kinds of parts that are accepted. What they
// mean for a turn is decided later (core/response/user-turn.ts).
// @spec resources/input-items
import { invalidInput, ApiError } from "../../contract/errors.ts";
import {
  MESSAGE_PHASES,
  MESSAGE_ROLES,
  type MessagePhase,
  type MessageRole,
  UNSUPPORTED_PART_TYPES,
  TEXT_PART_TYPES,
  type UrlCitation,
} from "../../contract/items.ts";
import { type InputItem, type InputPart, itemError, type SentItem } from "../history/input-item.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { isSent } from "./field.ts";
import { describe, describeName, shorten } from "./json-value.ts";

/** The field that the items come from. */
export interface ItemsField {
  readonly param: "input" | "items";
  /** Roles that are rejected before their content is checked, each with a hint at what to use instead. */
  readonly rejectedRoles: Partial<Record<MessageRole, string>>;
}

/** Reads an array of items. Throws 400 for the first invalid one, naming its index and type. */
export function readInputItems(values: readonly unknown[], field: ItemsField): InputItem[] {
  return values.map((value, index) => readItem(value, index, field));
}

/**
 * Reads the items of a create that may answer waiting calls. Other items before tool outputs are ignored, whatever they
 * contain, but only the history can tell whether the outputs answer calls. So an invalid item other than an output is
 * kept with its error. Throws 400 for what is no item at all.
 */
export function readResentItems(values: readonly unknown[], field: ItemsField): SentItem[] {
  let unread: ApiError | null = null;
  return values.map((value, index) => {
    if (!isJsonObject(value)) return readItem(value, index, field);
    // Only the first error can be reported, and the first one behind an output: items there are new. After it, only
    // calls and outputs need to be read.
    if (isCallOutput(value)) unread = null;
    if (unread !== null && !isOfCall(value)) return { type: "unread", index, callId: null, error: unread };
    try {
      return readItem(value, index, field);
    } catch (error) {
      if (!(error instanceof ApiError) || isCallOutput(value)) throw error;
      unread ??= error;
      const callId = isOfCall(value) && typeof value["call_id"] === "string" ? value["call_id"] : null;
      return { type: "unread", index, callId, error };
    }
  });
}

function isOfCall(value: unknown): boolean {
  return isJsonObject(value) && (value["type"] === "function_call" || isCallOutput(value));
}

/** Whether an item is a function_call_output, valid or not. */
export function isCallOutput(value: unknown): boolean {
  return isJsonObject(value) && value["type"] === "function_call_output";
}

function readItem(value: unknown, index: number, field: ItemsField): InputItem {
  if (!isJsonObject(value)) {
    throw invalidInput(field.param, `${field.param}[${index}] must be an item object, not ${describe(value)}.`);
  }
  const type = typeOf(value);
  const error = (message: string) => itemError(field.param, { index, type }, message);
  const text = (key: string): string => {
    const found = value[key];
    if (typeof found !== "string" || found === "")
      throw error(`${key} must be a string that is not empty, not ${describe(found)}.`);
    return found;
  };
  switch (type) {
    case "message": {
      const role = MESSAGE_ROLES.find((candidate) => candidate === value["role"]);
      if (role === undefined)
        throw error(`role must be one of ${MESSAGE_ROLES.join(", ")}, not ${describe(value["role"])}.`);
      const instead = field.rejectedRoles[role];
      if (instead !== undefined) throw error(instead);
      const content = readContent(value["content"], field, error);
      return { type, index, role, content, phase: readPhase(value["phase"], error) };
    }
    case "function_call": {
      const callArguments = value["arguments"];
      if (typeof callArguments !== "string") throw error(`arguments must be a string, not ${describe(callArguments)}.`);
      return { type, index, callId: text("call_id"), name: text("name"), arguments: callArguments };
    }
    case "function_call_output":
      return { type, index, callId: text("call_id"), output: readOutput(value["output"], error) };
    case "reasoning":
      return {
        type,
        index,
        summary: readTexts(value["summary"], "summary", "summary_text", error) ?? [],
        content: readTexts(value["content"], "content", "reasoning_text", error),
        encryptedContent: readEncryptedContent(value["encrypted_content"], error),
      };
    case "item_reference":
      return { type, index, id: text("id") };
    default: {
      const last = field.param === "input" ? ", reasoning or item_reference" : " or reasoning";
      throw error(`this item type is not accepted; send message, function_call, function_call_output${last} items.`);
    }
  }
}

/** Without `type`, `{role, content}` is a message and `{id}` an item_reference (docs/wire.md, Objects). */
function typeOf(item: JsonObject): string {
  const type = item["type"];
  if (typeof type === "string") return shorten(type);
  if (isSent(type)) return `the type is ${describe(type)}`;
  if (item["role"] !== undefined) return "message";
  return item["id"] === undefined ? "no type" : "item_reference";
}

type ItemError = (message: string) => ApiError;

function readPhase(phase: unknown, error: ItemError): MessagePhase | null {
  if (!isSent(phase)) return null;
  const known = MESSAGE_PHASES.find((candidate) => candidate === phase);
  if (known === undefined) throw error(`phase must be one of ${MESSAGE_PHASES.join(", ")}, not ${describe(phase)}.`);
  return known;
}

function readContent(content: unknown, { param }: ItemsField, error: ItemError): string | readonly InputPart[] {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw error(`content must be a string or an array of parts, not ${describe(content)}.`);
  return content.map((part: unknown, place) => {
    const path = `content[${place}]`;
    const read = readTextPart(part, path, error);
    // Messages of a create are joined into one, so only added ones can keep annotations.
    if (param === "input" || read.type !== "output_text" || !isJsonObject(part)) return read;
    const annotations = readAnnotations(part["annotations"], `${path}.annotations`, error);
    return annotations.length === 0 ? read : { ...read, annotations };
  });
}

/** The citations among the annotations; other kinds are dropped. */
function readAnnotations(annotations: unknown, path: string, error: ItemError): UrlCitation[] {
  if (!isSent(annotations)) return [];
  if (!Array.isArray(annotations)) throw error(`${path} must be an array, not ${describe(annotations)}.`);
  return annotations.flatMap((annotation: unknown, place) =>
    isJsonObject(annotation) && annotation["type"] === "url_citation"
      ? [readCitation(annotation, `${path}[${place}]`, error)]
      : [],
  );
}

function readCitation(citation: JsonObject, path: string, error: ItemError): UrlCitation {
  const text = (key: string): string => {
    const value = citation[key];
    if (typeof value !== "string") throw error(`${path}.${key} must be a string, not ${describe(value)}.`);
    return value;
  };
  const index = (key: string): number => {
    const value = citation[key];
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
      throw error(`${path}.${key} must be an integer of at least 0, not ${describe(value)}.`);
    return value;
  };
  return {
    type: "url_citation",
    url: text("url"),
    title: text("title"),
    start_index: index("start_index"),
    end_index: index("end_index"),
  };
}

function readTextPart(part: unknown, path: string, error: ItemError): InputPart {
  if (!isJsonObject(part)) throw error(`${path} must be a part object, not ${describe(part)}.`);
  const type = TEXT_PART_TYPES.find((candidate) => candidate === part["type"]);
  if (type === undefined) {
    const unsupported = UNSUPPORTED_PART_TYPES.find((candidate) => candidate === part["type"]);
    throw error(
      unsupported === undefined
        ? `${path} has the type ${describeName(part["type"])}; send text parts (${TEXT_PART_TYPES.join(", ")}).`
        : `${path} is a part of type ${unsupported}, which is not accepted; send text parts (${TEXT_PART_TYPES.join(", ")}).`,
    );
  }
  const text = part["text"];
  if (typeof text !== "string") throw error(`${path}.text must be a string, not ${describe(text)}.`);
  return { type, text };
}

function readOutput(output: unknown, error: ItemError): string {
  if (typeof output === "string") return output;
  if (!Array.isArray(output))
    throw error(`output must be a string or an array of text parts, not ${describe(output)}.`);
  return output.map((part: unknown, place) => readTextPart(part, `output[${place}]`, error).text).join("\n");
}

function readEncryptedContent(content: unknown, error: ItemError): string | null {
  if (!isSent(content)) return null;
  if (typeof content !== "string") throw error(`encrypted_content must be a string, not ${describe(content)}.`);
  return content;
}

function readTexts(parts: unknown, key: string, type: string, error: ItemError): string[] | null {
  if (!isSent(parts)) return null;
  if (!Array.isArray(parts)) throw error(`${key} must be an array of ${type} parts, not ${describe(parts)}.`);
  return parts.map((part: unknown, place) => {
    const text = isJsonObject(part) && part["type"] === type ? part["text"] : undefined;
    if (typeof text !== "string") throw error(`${key}[${place}] must be a ${type} part with a text.`);
    return text;
  });
}
