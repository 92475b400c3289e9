// The function calls of a response: arguments as deltas, and complete at the end of each call.
import { CallOutput } from "../wire/call-output.ts";
import { argumentsWarning, isObjectText } from "../wire/calls.ts";
import { type JsonObject } from "../../base/json.ts";
import { readText } from "../wire/json-shape.ts";
import type { RoundDecoding } from "../wire/round-decoding.ts";
import type { RoundCall } from "./round-state.ts";

/** Collects the calls of one response, by their index in the output. */
export class Calls {
  readonly #decoding: RoundDecoding;
  readonly #calls = new Map<number, CallOutput>();

  constructor(decoding: RoundDecoding) {
    this.#decoding = decoding;
  }

  begin(index: number, item: JsonObject): void {
    if (this.#calls.has(index)) return;
    const sent = { name: readText(item.name), id: readText(item.call_id) };
    this.#calls.set(index, new CallOutput(this.#decoding, index, sent));
  }

  addArguments(index: number, delta: string): void {
    const call = this.#calls.get(index);
    // For a call that has not begun, its end has all arguments.
    if (call?.isFinished === false) call.add(delta);
  }

  /** Emits the rest of a call that has begun; returns the call as an input item. */
  end(index: number, item: JsonObject): RoundCall {
    const call = this.#calls.get(index);
    if (call === undefined) throw new Error(`call ${index} ends before it began`);
    this.addArguments(index, (readText(item.arguments) ?? "").slice(call.length));
    const whole = call.end() || "{}";
    const { callId, name } = call;
    if (!isObjectText(whole)) this.#decoding.push(argumentsWarning(name));
    call.finish();
    return { type: "function_call", call_id: callId, name, arguments: whole };
  }

  /** Indexes of calls that have not ended. */
  open(): readonly number[] {
    return [...this.#calls.values()].flatMap(({ index, isFinished }) => (isFinished ? [] : [index]));
  }
}
