// The function calls of a response: arguments by delta, and whole at the end of each.
import { countCharacters } from "../../contract/characters.ts";
import type { ProviderPart } from "../../ports/provider.ts";
import { argumentsWarning, isWhole } from "../calls.ts";
import { type JsonRecord, readText } from "../json-shape.ts";
import { createTextCleaner, type TextCleaner } from "../text-cleaner.ts";
import type { RoundCall } from "./round-state.ts";

export interface CallOptions {
  /** The call_ids of the prompt: one of them again would name two calls. Asked once, at the first call. */
  takenIds(): Set<string>;
  mintCallId(): string;
  originalToolName(name: string): string;
  unreadable(): Error;
  fail(message: string): Error;
  push(part: ProviderPart): void;
}

export interface Calls {
  begin(index: number, item: JsonRecord): void;
  addArguments(index: number, delta: string): void;
  /** Tells what is missing of a call that has begun; answers what it is as input. */
  end(index: number, item: JsonRecord): RoundCall;
  /** Indexes of the calls that have not ended. */
  open(): readonly number[];
  /** Characters put out: names and arguments. */
  characters(): number;
}

interface Call {
  readonly index: number;
  readonly callId: string;
  readonly name: string;
  /** As handed over. */
  arguments: string;
  /** Characters of the arguments that came. */
  length: number;
  readonly cleaner: TextCleaner;
  hasEnded: boolean;
}

/** Collects the calls of one response. */
export function createCalls(options: CallOptions): Calls {
  const { push, unreadable } = options;
  const calls = new Map<number, Call>();
  let taken: Set<string> | null = null;
  let characters = 0;

  function begin(index: number, item: JsonRecord): void {
    if (calls.has(index)) return;
    const wireName = readText(item.name);
    const wireId = readText(item.call_id);
    if (wireName === null) throw options.fail("The provider sent a tool call without a name.");
    if (wireName.includes("\0") || wireId?.includes("\0")) throw unreadable();
    taken ??= options.takenIds();
    const callId = (wireId !== null && !taken.has(wireId) ? wireId : options.mintCallId()).toWellFormed();
    taken.add(callId);
    const name = options.originalToolName(wireName).toWellFormed();
    const call = { index, callId, name, arguments: "", length: 0, hasEnded: false };
    calls.set(index, { ...call, cleaner: createTextCleaner(unreadable) });
    characters += countCharacters(name);
    push({ type: "call_started", index, callId, name });
  }

  function addArguments(index: number, delta: string): void {
    const call = calls.get(index);
    // Of a call that has not begun: its end tells them all.
    if (call === undefined || call.hasEnded) return;
    call.length += delta.length;
    characters += countCharacters(delta);
    handOver(call, call.cleaner.clean(delta));
  }

  function handOver(call: Call, delta: string): void {
    if (delta === "") return;
    call.arguments += delta;
    push({ type: "call_arguments", index: call.index, delta });
  }

  function end(index: number, item: JsonRecord): RoundCall {
    const call = calls.get(index);
    if (call === undefined) throw new Error(`call ${index} ends before it began`);
    addArguments(index, (readText(item.arguments) ?? "").slice(call.length));
    handOver(call, call.cleaner.end());
    const { callId, name } = call;
    const whole = call.arguments === "" ? "{}" : call.arguments;
    if (!isWhole(whole)) push(argumentsWarning(name));
    call.hasEnded = true;
    push({ type: "call_finished", index });
    return { type: "function_call", call_id: callId, name, arguments: whole };
  }

  return {
    begin,
    addArguments,
    end,
    open: () => [...calls.values()].flatMap(({ index, hasEnded }) => (hasEnded ? [] : [index])),
    characters: () => characters,
  };
}
