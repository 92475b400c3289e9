// The function calls of a response: arguments as deltas, and complete at the end of each call.
import { countCharacters } from "../../contract/characters.ts";
import { argumentsWarning, isObjectText } from "../wire/calls.ts";
import { type JsonObject } from "../../base/json.ts";
import { readText } from "../wire/json-shape.ts";
import type { RoundDecoding } from "../wire/round-decoding.ts";
import { createTextCleaner, type TextCleaner } from "../wire/text-cleaner.ts";
import type { RoundCall } from "./round-state.ts";

interface Call {
  readonly index: number;
  readonly callId: string;
  readonly name: string;
  /** As emitted. */
  arguments: string;
  /** Length of the arguments received. */
  length: number;
  readonly cleaner: TextCleaner;
  hasEnded: boolean;
}

/** Collects the calls of one response, by their index in the output. */
export class Calls {
  readonly #decoding: RoundDecoding;
  readonly #calls = new Map<number, Call>();

  constructor(decoding: RoundDecoding) {
    this.#decoding = decoding;
  }

  begin(index: number, item: JsonObject): void {
    if (this.#calls.has(index)) return;
    const decoding = this.#decoding;
    const name = decoding.readToolName(readText(item.name));
    const callId = decoding.takeCallId(readText(item.call_id));
    const cleaner = createTextCleaner(() => decoding.unreadable());
    this.#calls.set(index, { index, callId, name, arguments: "", length: 0, cleaner, hasEnded: false });
    decoding.outputCharacters += countCharacters(name);
    decoding.push({ type: "call_started", index, callId, name });
  }

  addArguments(index: number, delta: string): void {
    const call = this.#calls.get(index);
    // For a call that has not begun, its end has all arguments.
    if (call === undefined || call.hasEnded) return;
    call.length += delta.length;
    this.#decoding.outputCharacters += countCharacters(delta);
    this.#emitArguments(call, call.cleaner.clean(delta));
  }

  /** Emits the rest of a call that has begun; returns the call as an input item. */
  end(index: number, item: JsonObject): RoundCall {
    const call = this.#calls.get(index);
    if (call === undefined) throw new Error(`call ${index} ends before it began`);
    this.addArguments(index, (readText(item.arguments) ?? "").slice(call.length));
    this.#emitArguments(call, call.cleaner.end());
    const { callId, name } = call;
    const whole = call.arguments === "" ? "{}" : call.arguments;
    if (!isObjectText(whole)) this.#decoding.push(argumentsWarning(name));
    call.hasEnded = true;
    this.#decoding.push({ type: "call_finished", index });
    return { type: "function_call", call_id: callId, name, arguments: whole };
  }

  /** Indexes of calls that have not ended. */
  open(): readonly number[] {
    return [...this.#calls.values()].flatMap(({ index, hasEnded }) => (hasEnded ? [] : [index]));
  }

  #emitArguments(call: Call, delta: string): void {
    if (delta === "") return;
    call.arguments += delta;
    this.#decoding.push({ type: "call_arguments", index: call.index, delta });
  }
}
