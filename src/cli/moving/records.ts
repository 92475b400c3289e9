// A conversation and its items, read from any of the formats.
import { Errors } from "typebox/schema";
import { ApiError } from "../../contract/errors.ts";
import { ID_PREFIXES } from "../../contract/ids.ts";
import { FunctionCall, FunctionCallOutput, type Item, Message, Reasoning } from "../../contract/items.ts";
import type { Metadata } from "../../contract/resources.ts";
import { readMetadata } from "../../core/reading/metadata.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";

/** A conversation begins, or the next item of the conversation that began last. */
export type MovedRecord =
  | {
      readonly kind: "conversation";
      readonly line: number;
      /** Its id where it comes from; null: the file gives none. */
      readonly id: string | null;
      /** Unix seconds; null: the file gives none. */
      readonly createdAt: number | null;
      readonly metadata: Metadata;
    }
  | {
      readonly kind: "item";
      readonly line: number;
      readonly item: Item;
      /** Of an output: the id that its call has in the file, or had; null: the file does not say. */
      readonly answers: string | null;
    };

/** Makes an error of a message about the value that is being read. */
export type ErrorOf = (message: string) => Error;

const SHAPES = {
  message: Message,
  function_call: FunctionCall,
  function_call_output: FunctionCallOutput,
  reasoning: Reasoning,
} as const;

/** An item of the shape in which items are stored, with any id. Throws what `errorOf` makes. */
export function checkItem(value: JsonObject, errorOf: ErrorOf): Item {
  const type = value["type"];
  if (typeof type !== "string" || !Object.hasOwn(SHAPES, type))
    throw errorOf(`there is no item of the type ${show(type)}.`);
  const known = type as keyof typeof SHAPES;
  // The id is replaced, or looked at later.
  const [, [finding]] = Errors(SHAPES[known], { ...value, id: ID_PREFIXES[known] });
  if (finding !== undefined) {
    const path = finding.instancePath.slice(1).replaceAll("/", ".");
    throw errorOf(`the ${type} is invalid${path === "" ? "" : ` at ${path}`}: it ${finding.message}.`);
  }
  if (typeof value["id"] !== "string") throw errorOf("the item has no id.");
  if (hasNull(value)) throw errorOf("the item contains the character U+0000, which can't be stored.");
  return value as unknown as Item;
}

/** A conversation's own fields, whatever its `object`. */
export function readConversation(value: JsonObject, line: number, errorOf: ErrorOf): MovedRecord {
  const { id, created_at: createdAt } = value;
  if (typeof id !== "string" || id === "" || id.length > 200) throw errorOf("the conversation has no id.");
  if (createdAt !== undefined && createdAt !== null && !isTime(createdAt)) {
    throw errorOf(`created_at is ${show(createdAt)}; allowed: Unix seconds.`);
  }
  const metadata = attempt(() => readMetadata(value["metadata"]) ?? {}, errorOf);
  if (hasNull(metadata)) throw errorOf("metadata contain the character U+0000, which can't be stored.");
  return { kind: "conversation", line, id, createdAt: isTime(createdAt) ? createdAt : null, metadata };
}

/** The year 9999. */
const SECONDS_MAX = 253_402_300_799;

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= SECONDS_MAX;
}

/** Runs a reader of the interface; its 400 becomes an error about the value, without the interface's index. */
export function attempt<Value>(read: () => Value, errorOf: ErrorOf): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw errorOf(error.message.replace(/^items\[0\] /, ""));
  }
}

/** Whether any text contains U+0000, which PostgreSQL can't store. */
function hasNull(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\0");
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, member]) => name.includes("\0") || hasNull(member));
}

/** A value for a message, cut. */
export function show(value: unknown): string {
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "a list";
  return isJsonObject(value) ? "an object" : JSON.stringify(value).slice(0, 64);
}
