// Reads conversations of OpenAI: objects `conversation` and items as its API lists them, and `thread` and `thread.message` of the Assistants
// API; each alone or in lists. docs/moving-conversations.md
import type { Item } from "../../contract/items.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { OperatorError } from "../../../packages/kit/operator-error.ts";
import type { JsonFile, JsonValue } from "./json-values.ts";
import { type LeftOut, readListedItem, readThreadMessage } from "./api-items.ts";
import { type ErrorOf, readConversation, show, type MovedRecord } from "./records.ts";

/** Where the reader is: the conversation that began last. */
interface State {
  readonly leftOut: LeftOut;
  /** Null: the items belong to a conversation without an id. */
  current: string | null | undefined;
  /** The time of the last message of a thread. */
  lastAt: number;
  readonly seen: Set<string>;
}

/** The records of a file. Throws an OperatorError that names the line, and the place in its list, of what can't be imported. */
export async function* readApiObjects(
  file: JsonFile,
  values: AsyncIterable<JsonValue>,
  leftOut: LeftOut,
): AsyncGenerator<MovedRecord, void> {
  const state: State = { leftOut, current: undefined, lastAt: 0, seen: new Set() };
  for await (const { line, value } of values) {
    yield* readValue(value, {
      line,
      state,
      errorOf: (message) => new OperatorError(`${file.name}:${line}: ${message}`),
    });
  }
}

interface Place {
  readonly line: number;
  readonly state: State;
  readonly errorOf: ErrorOf;
}

function* readValue(value: unknown, place: Place): Generator<MovedRecord, void> {
  if (Array.isArray(value)) return yield* readList(value, "", place);
  if (!isJsonObject(value)) throw place.errorOf(`${show(value)} is no object.`);
  switch (value["object"]) {
    case "list":
      if (!Array.isArray(value["data"])) throw place.errorOf("the list has no data.");
      return yield* readList(value["data"], "data", place);
    case "conversation":
    case "thread":
      return yield* begin(value, place);
    case "thread.message":
      return yield* readMessage(value, place);
    default:
      return yield* readItem(value, place);
  }
}

function* readList(list: readonly unknown[], name: string, place: Place): Generator<MovedRecord, void> {
  for (const [index, value] of list.entries()) {
    const errorOf = (message: string) => place.errorOf(`${name}[${index}]: ${message}`);
    if (Array.isArray(value)) throw errorOf("a list within a list.");
    yield* readValue(value, { ...place, errorOf });
  }
}

/** A conversation that is named again before each of its pages is one conversation. */
function* begin(value: JsonObject, { line, state, errorOf }: Place): Generator<MovedRecord, void> {
  const record = readConversation(value, line, errorOf);
  if (record.kind !== "conversation" || record.id === null || record.id === state.current) return;
  if (state.seen.has(record.id)) {
    throw errorOf(`${record.id} began before, with another one in between; put its items together.`);
  }
  state.seen.add(record.id);
  state.current = record.id;
  state.lastAt = 0;
  yield record;
}

function* readMessage(value: JsonObject, place: Place): Generator<MovedRecord, void> {
  const { state, line, errorOf } = place;
  const { thread_id: id, created_at: createdAt } = value;
  if (typeof id !== "string") throw errorOf("the thread.message has no thread_id.");
  if (id !== state.current) yield* begin({ id, created_at: createdAt }, place);
  if (typeof createdAt === "number") {
    if (createdAt < state.lastAt) {
      throw errorOf("the thread.message is older than the one before it; list messages with order=asc.");
    }
    state.lastAt = createdAt;
  }
  const item = readThreadMessage(value, state.leftOut, errorOf);
  if (item !== null) yield { kind: "item", line, item, answers: null };
}

function* readItem(value: JsonObject, { line, state, errorOf }: Place): Generator<MovedRecord, void> {
  const item: Item | null = readListedItem(value, state.leftOut, errorOf);
  if (state.current === undefined) {
    state.current = null;
    yield { kind: "conversation", line, id: null, createdAt: null, metadata: {} };
  }
  if (item !== null) yield { kind: "item", line, item, answers: null };
}
