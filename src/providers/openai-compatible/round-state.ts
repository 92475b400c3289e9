// What a server needs back with the results of a round's calls, in the fields in which it came: signatures of thoughts, without which it
// rejects the request, and reasoning, for models that think worse without it.
import { GrowingText } from "../../base/growing-text.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { RoundDecoding } from "../wire/round-decoding.ts";

/** Reasoning as text; sent back to models that need it. `reasoning_text` is from GitHub Copilot. */
export const REASONING_FIELDS = ["reasoning_content", "reasoning", "reasoning_text"] as const;
export type ReasoningField = (typeof REASONING_FIELDS)[number];

/** Lists of thoughts, with signatures or encrypted: OpenRouter and MiniMax, LiteLLM. */
export const LIST_FIELDS = ["reasoning_details", "thinking_blocks"] as const;
/** Other fields of a message: Google, GitHub Copilot. */
const MESSAGE_FIELDS = ["extra_content", "reasoning_opaque"] as const;
/** Fields of a call: Google and its gateways, LiteLLM. */
const CALL_FIELDS = ["extra_content", "provider_specific_fields", "thought_signature", "thoughtSignature"] as const;

/** The fields of an entry that arrive in pieces. */
const TEXT_FIELDS: ReadonlySet<string> = new Set(["text", "summary", "data", "thinking"]);
/** Those that a client may read. */
const SHOWN_FIELDS: ReadonlySet<string> = new Set(["text", "summary", "thinking"]);

type Counter = Pick<RoundDecoding, "countPiece" | "countState">;

/** Collects what a response wants back. */
export class RoundState {
  readonly #decoding: Counter;
  readonly #fields: Record<string, unknown> = {};
  readonly #lists = new Map<string, Entry[]>();
  /** By field, type, index and id. */
  readonly #indexed = new Map<string, Entry>();

  /** `decoding` counts what is kept. */
  constructor(decoding: Counter) {
    this.#decoding = decoding;
  }

  /** Reads a delta, or a whole message. Returns the new text of its listed thoughts. */
  read(delta: JsonObject): string {
    for (const field of MESSAGE_FIELDS) {
      if (!isGiven(delta[field])) continue;
      this.#decoding.countState(lengthOf(delta[field]) - lengthOf(this.#fields[field]));
      this.#fields[field] = delta[field];
    }
    let thoughts = "";
    for (const field of LIST_FIELDS) {
      const list = delta[field];
      if (!Array.isArray(list)) continue;
      const text = this.#addAll(field, list.filter(isJsonObject));
      // LiteLLM sends the same thoughts in both.
      if (thoughts === "") thoughts = text;
    }
    return thoughts;
  }

  /** Whether lists have come. */
  hasLists(): boolean {
    return this.#lists.size > 0;
  }

  /** The state; null if nothing has to come back. `reasoning` has the text in the field in which it came, `calls` is by call_id. */
  whole(reasoning: JsonObject, calls: Readonly<Record<string, JsonObject>>): JsonObject | null {
    const lists = Array.from(
      this.#lists,
      ([field, entries]) => [field, entries.map((entry) => entry.whole())] as const,
    );
    const hasCalls = Object.keys(calls).length > 0;
    const state = { ...reasoning, ...this.#fields, ...Object.fromEntries(lists), ...(hasCalls ? { calls } : {}) };
    return Object.keys(state).length === 0 ? null : state;
  }

  #addAll(field: string, pieces: readonly JsonObject[]): string {
    if (pieces.length === 0) return "";
    const entries = this.#lists.get(field) ?? [];
    this.#lists.set(field, entries);
    // The pieces of one delta are entries of their own. Without an index, the first may continue the last entry of the delta before.
    const last = entries.at(-1);
    let thoughts = "";
    for (const [at, piece] of pieces.entries()) {
      const key =
        typeof piece.index === "number" ? `${field} ${String(piece.type)} ${piece.index} ${String(piece.id)}` : null;
      const indexed = key === null ? undefined : this.#indexed.get(key);
      const known = indexed ?? (key === null && at === 0 && last?.mayContinue(piece) === true ? last : null);
      const entry = known ?? new Entry(this.#decoding);
      thoughts += entry.add(piece);
      if (known !== null) continue;
      this.#decoding.countPiece();
      entries.push(entry);
      if (key !== null) this.#indexed.set(key, entry);
    }
    return thoughts;
  }
}

/** An entry of a list, as far as it has arrived. */
class Entry {
  readonly #decoding: Counter;
  readonly #fields = new Map<string, unknown>();
  readonly #texts = new Map<string, { readonly text: GrowingText; length: number }>();

  constructor(decoding: Counter) {
    this.#decoding = decoding;
  }

  /** Whether a piece without an index belongs to it: a signature is the end of an entry. */
  mayContinue({ type, id }: JsonObject): boolean {
    const own = this.#fields;
    const isSame = own.get("type") === type && (own.get("id") ?? null) === (id ?? null);
    return isSame && typeof own.get("index") !== "number" && !isGiven(own.get("signature"));
  }

  /** Adds a piece; returns its new text for clients. */
  add(piece: JsonObject): string {
    let shown = "";
    for (const [field, value] of Object.entries(piece)) {
      if (typeof value === "string" && TEXT_FIELDS.has(field)) {
        const added = this.#addText(field, value);
        // Shown texts count as reasoning.
        if (SHOWN_FIELDS.has(field)) shown += added;
        else this.#decoding.countState(added.length);
      } else if (isGiven(value) || !this.#fields.has(field)) {
        this.#decoding.countState(lengthOf(value) - lengthOf(this.#fields.get(field)));
        this.#fields.set(field, value);
      }
    }
    return shown;
  }

  whole(): JsonObject {
    const texts = Array.from(this.#texts, ([field, { text }]) => [field, text.whole()] as const);
    return Object.fromEntries([...this.#fields, ...texts]);
  }

  #addText(field: string, value: string): string {
    const known = this.#texts.get(field) ?? { text: new GrowingText(), length: 0 };
    this.#texts.set(field, known);
    // MiniMax repeats the text from the start, with more of it each time.
    const isRepeated = known.length > 0 && value.length > known.length && value.startsWith(known.text.whole());
    const added = isRepeated ? value.slice(known.length) : value;
    known.text.add(added);
    known.length += added.length;
    return added;
  }
}

/** The fields of a call that come back, from one of its deltas; null if it has none. */
export function returnedFields(delta: JsonObject): JsonObject | null {
  // LiteLLM reads them from either place.
  const inFunction = isJsonObject(delta.function) ? delta.function.provider_specific_fields : null;
  if (!isGiven(inFunction) && !CALL_FIELDS.some((field) => isGiven(delta[field]))) return null;
  return { ...(isGiven(inFunction) && { provider_specific_fields: inFunction }), ...pick(delta, CALL_FIELDS) };
}

/** The fields to add to the message of a round; none if the state is from another family. */
export function readMessageFields(state: unknown, withReasoning: boolean): JsonObject {
  if (!isJsonObject(state)) return {};
  const reasoning = withReasoning ? REASONING_FIELDS : [];
  return pick(state, [...reasoning, ...LIST_FIELDS, ...MESSAGE_FIELDS]);
}

/** The fields to add to a call of a round. */
export function readCallFields(state: unknown, callId: string): JsonObject {
  const calls = isJsonObject(state) && isJsonObject(state.calls) ? state.calls : {};
  const fields = Object.hasOwn(calls, callId) ? calls[callId] : undefined;
  return isJsonObject(fields) ? pick(fields, CALL_FIELDS) : {};
}

function pick(from: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.flatMap((field) => (isGiven(from[field]) ? [[field, from[field]]] : [])));
}

/** Characters of a value's JSON. */
function lengthOf(value: unknown): number {
  return value === undefined ? 0 : JSON.stringify(value).length;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}
