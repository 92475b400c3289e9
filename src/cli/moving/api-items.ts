// Items of OpenAI in the shape in which items are stored. What has no place here is an error, or is left out and
// counted.
import { ITEM_STATUSES, type Item, MESSAGE_PHASES, MESSAGE_ROLES, type MessageRole } from "../../contract/items.ts";
import { readInputItems } from "../../core/reading/input-items.ts";
import { toStoredItem } from "../../core/response/user-turn.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { attempt, checkItem, type ErrorOf, show } from "./records.ts";

/** What an import leaves out. */
export interface LeftOut {
  /** Whether unsupported items and parts are left out; otherwise they are errors. */
  readonly isAllowed: boolean;
  /** How often, by what it is. */
  readonly counts: Map<string, number>;
}

/** Types of items with a place here, besides messages. */
const TYPES = ["function_call", "function_call_output", "reasoning"];

/** An item as `GET /v1/conversations/{id}/items` lists it; null: it is left out. Throws what `errorOf` makes. */
export function readListedItem(value: JsonObject, leftOut: LeftOut, errorOf: ErrorOf): Item | null {
  const type = value["type"] ?? (value["role"] === undefined ? undefined : "message");
  if (type === "message") return readMessage(value, leftOut, errorOf);
  if (typeof type !== "string" || !TYPES.includes(type)) {
    const what = type ?? value["object"];
    if (what === undefined) throw errorOf("the value is neither a conversation nor an item.");
    return leaveOut(`items of the type ${typeof what === "string" ? what.slice(0, 64) : show(what)}`, leftOut, errorOf);
  }
  const { output } = value;
  if (type === "function_call_output" && Array.isArray(output)) {
    const texts = output.filter((part) => isTextPart(part));
    for (const part of output) if (!isTextPart(part)) leaveOut(`parts of the type ${typeOf(part)}`, leftOut, errorOf);
    return readPlain({ ...value, output: texts }, errorOf);
  }
  return readPlain(value, errorOf);
}

/** A message of a thread of the Assistants API; null: it is left out. */
export function readThreadMessage(value: JsonObject, leftOut: LeftOut, errorOf: ErrorOf): Item | null {
  const { content, role, metadata, attachments } = value;
  if (isJsonObject(metadata) && Object.keys(metadata).length > 0) count("metadata of messages", leftOut);
  if (Array.isArray(attachments) && attachments.length > 0) count("attachments of messages", leftOut);
  const type = role === "assistant" ? "output_text" : "input_text";
  const parts = Array.isArray(content)
    ? content.map((part: unknown) => (isJsonObject(part) ? asPart(part, type) : part))
    : content;
  // The status is that of the message's generation; one without a status is whole.
  return readMessage({ ...value, content: parts }, leftOut, errorOf);
}

/** `{type: "text", text: {value, annotations}}` as a part of an item. */
function asPart(part: JsonObject, type: string): JsonObject {
  const { text } = part;
  if (part["type"] !== "text" || !isJsonObject(text)) return part;
  return { type, text: text["value"], annotations: text["annotations"] };
}

function readMessage(value: JsonObject, leftOut: LeftOut, errorOf: ErrorOf): Item | null {
  const role = MESSAGE_ROLES.find((candidate) => candidate === value["role"]);
  if (role === undefined) return leaveOut(`messages of the role ${show(value["role"])}`, leftOut, errorOf);
  const content = readContent(value["content"], role, leftOut, errorOf);
  if (content.length === 0 && Array.isArray(value["content"]) && value["content"].length > 0) {
    count("messages without text", leftOut);
    return null;
  }
  const phase = MESSAGE_PHASES.find((candidate) => candidate === value["phase"]);
  const item = {
    type: "message",
    id: idOf(value),
    role,
    status: ITEM_STATUSES.find((candidate) => candidate === value["status"]) ?? "completed",
    content,
    ...(phase === undefined ? {} : { phase }),
  };
  return checkItem(item, errorOf);
}

function readContent(content: unknown, role: MessageRole, leftOut: LeftOut, errorOf: ErrorOf): JsonObject[] {
  const type = role === "assistant" ? "output_text" : "input_text";
  if (typeof content === "string") return [asText(type, content, [])];
  if (!Array.isArray(content)) throw errorOf(`content is ${show(content)}; allowed: a text or a list of parts.`);
  return content.flatMap((part: unknown, index) => {
    const errorOfPart = (message: string) => errorOf(`content[${index}]: ${message}`);
    if (!isJsonObject(part)) throw errorOfPart(`${show(part)} is no part.`);
    if (part["type"] === "refusal") return [{ type: "refusal", refusal: part["refusal"] }];
    if (isTextPart(part)) {
      return [asText(part["type"], part["text"], keepCitations(part["annotations"], leftOut))];
    }
    leaveOut(`parts of the type ${typeOf(part)}`, leftOut, errorOfPart);
    return [];
  });
}

function asText(type: unknown, text: unknown, annotations: readonly unknown[]): JsonObject {
  return type === "output_text" ? { type, text, annotations, logprobs: [] } : { type, text };
}

/** Citations of addresses; other annotations refer to files, which there are not. */
function keepCitations(annotations: unknown, leftOut: LeftOut): readonly unknown[] {
  if (!Array.isArray(annotations)) return [];
  return annotations.filter((annotation: unknown) => {
    const type = typeOf(annotation);
    if (type === "url_citation") return true;
    count(`annotations of the type ${type}`, leftOut);
    return false;
  });
}

/** Calls, outputs and reasoning, read as a client sends them. */
function readPlain(value: JsonObject, errorOf: ErrorOf): Item {
  const id = idOf(value);
  const [input] = attempt(() => readInputItems([value], { param: "items", rejectedRoles: {} }), errorOf);
  if (input === undefined || input.type === "item_reference") throw errorOf("the item is a reference.");
  const item: Item = toStoredItem(input, () => "msg_" as const);
  return checkItem({ ...item, id }, errorOf);
}

function isTextPart(part: unknown): part is JsonObject {
  return isJsonObject(part) && ["input_text", "output_text", "text"].includes(String(part["type"]));
}

function idOf(value: JsonObject): string {
  return typeof value["id"] === "string" ? value["id"] : "";
}

function typeOf(value: unknown): string {
  const type = isJsonObject(value) ? value["type"] : undefined;
  return typeof type === "string" ? type.slice(0, 64) : "unknown";
}

function leaveOut(what: string, leftOut: LeftOut, errorOf: ErrorOf): null {
  if (!leftOut.isAllowed) throw errorOf(`${what} can't be imported; --leave-out leaves them out and counts them.`);
  count(what, leftOut);
  return null;
}

/** Kinds that are counted apart: a file may name any number of types. */
const KINDS_MAX = 50;

function count(what: string, { counts }: LeftOut): void {
  const kind = counts.has(what) || counts.size < KINDS_MAX ? what : "other things";
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}
