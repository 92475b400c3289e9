// Tool calls of a chat completion, put together from deltas that may lack their index, their id or both, repeat their arguments
// whole, or bring them as an object.
import { countCharacters } from "../../contract/characters.ts";
import type { ProviderPart } from "../../ports/provider.ts";
import { argumentsWarning, isWhole } from "../calls.ts";
import { isRecord, type JsonRecord, readText } from "../json-shape.ts";
import { createTextCleaner, type TextCleaner } from "../text-cleaner.ts";

export interface CallDecoderOptions {
  /** The call_ids of the prompt: one of them again would name two calls. Asked once, at the first call. */
  takenIds(): Set<string>;
  mintCallId(): string;
  /** The tool's own name for one of the wire. */
  originalToolName(name: string): string;
  unreadable(): Error;
  fail(message: string): Error;
  push(part: ProviderPart): void;
}

export interface CallDecoder {
  /** Takes one entry of `tool_calls`; answers how many characters of output it brought. */
  push(delta: unknown): number;
  /** Finishes every call, unless the answer was cut short within it; answers how many characters were added. */
  finish(isCut: boolean): number;
  /** Whether every call is finished: after `finish`, false when one was cut. */
  areFinished(): boolean;
  count(): number;
}

interface OpenCall {
  /** The part's index. */
  readonly index: number;
  /** The server's index and id; null while it gave none. */
  readonly wireIndex: number | null;
  wireId: string | null;
  name: string | null;
  /** All arguments so far. */
  arguments: string;
  /** Another way to read what came, which the end decides on; null: there is none. */
  otherReading: string | null;
  /** How much of them has been handed over. */
  handedOver: number;
  readonly cleaner: TextCleaner;
  isFinished: boolean;
}

/** Decodes the calls of one answer. */
export function createCallDecoder(options: CallDecoderOptions): CallDecoder {
  const { push } = options;
  const calls: OpenCall[] = [];
  let takenIds: Set<string> | null = null;

  function pushDelta(delta: unknown): number {
    if (!isRecord(delta)) return 0;
    const body = isRecord(delta.function) ? delta.function : delta;
    const call = find(delta, body) ?? open(delta);
    call.wireId ??= readText(delta.id);
    const name = call.name === null ? readText(body.name) : null;
    if (name !== null) begin(call, name);
    const before = call.arguments.length;
    addArguments(call, body.arguments);
    handOver(call);
    return countCharacters(name ?? "") + countCharacters(call.arguments.slice(before));
  }

  /** The open call that a delta goes on with; undefined when it begins a new one. */
  function find(delta: JsonRecord, body: JsonRecord): OpenCall | undefined {
    const id = readText(delta.id);
    const name = readText(body.name);
    const wireIndex = readIndex(delta);
    const candidate =
      wireIndex === null
        ? (calls.findLast((call) => id !== null && call.wireId === id) ?? calls.at(-1))
        : calls.findLast((call) => call.wireIndex === wireIndex);
    if (candidate === undefined) return undefined;
    // Servers that give every call the index 0, or none: another id or another name is another call.
    if (id !== null && candidate.wireId !== null && id !== candidate.wireId) return undefined;
    if (name !== null && candidate.name !== null && name !== candidate.name) return undefined;
    // The same name again without an id, and other arguments after some that were whole: a second call of the same tool. The
    // same arguments are a repetition.
    const isNamedAgain = name !== null && candidate.name !== null && id === null;
    const isOther = !isBlank(body.arguments) && textOf(body.arguments) !== candidate.arguments;
    if (isNamedAgain && isOther && candidate.handedOver > 0 && isWhole(candidate.arguments)) return undefined;
    return candidate;
  }

  function open(delta: JsonRecord): OpenCall {
    // The next call begins: those before it that are whole are finished.
    for (const call of calls) {
      decide(call);
      // `{}` may be replaced as long as the server can say which call it means.
      const isPreliminary = call.wireIndex !== null && call.handedOver === 0 && call.arguments === "{}";
      if (isWhole(call.arguments) && !isPreliminary) close(call);
    }
    const call: OpenCall = {
      index: calls.length,
      wireIndex: readIndex(delta),
      wireId: readText(delta.id),
      name: null,
      arguments: "",
      otherReading: null,
      handedOver: 0,
      cleaner: createTextCleaner(options.unreadable),
      isFinished: false,
    };
    calls.push(call);
    return call;
  }

  function begin(call: OpenCall, name: string): void {
    if (name.includes("\0") || call.wireId?.includes("\0")) throw options.unreadable();
    takenIds ??= options.takenIds();
    // Servers that count their calls from zero in every answer: the service finds a waiting call by its id.
    const callId = call.wireId !== null && !takenIds.has(call.wireId) ? call.wireId : options.mintCallId();
    takenIds.add(callId);
    call.name = name;
    const original = options.originalToolName(name).toWellFormed();
    push({ type: "call_started", index: call.index, callId: callId.toWellFormed(), name: original });
  }

  function addArguments(call: OpenCall, value: unknown): void {
    if (isBlank(value)) return;
    const fragment = call.cleaner.clean(textOf(value));
    const known = call.arguments;
    if (call.otherReading !== null) call.otherReading += fragment;
    // A fragment that begins a JSON object again is a repetition of the whole, or its continuation from the start.
    if (known !== "" && fragment.startsWith("{")) {
      if (fragment.startsWith(known)) {
        // Or a member that looks like the whole: `{"not":` and then `{"not":{}}}`.
        if (!isWhole(known)) call.otherReading ??= known + fragment;
        call.arguments = fragment;
        return;
      }
      if (known.endsWith("}") && isWhole(known)) {
        // `{}` given in advance, then the arguments; anything else that was whole stays as it was handed over.
        if (call.handedOver === 0) call.arguments = fragment;
        return;
      }
    }
    call.arguments = known + fragment;
  }

  /** Of two readings the first counts, unless the other alone is whole. */
  function decide(call: OpenCall): void {
    if (call.otherReading === null) return;
    if (!isWhole(call.arguments) && isWhole(call.otherReading)) call.arguments = call.otherReading;
    call.otherReading = null;
  }

  function handOver(call: OpenCall): void {
    if (call.isFinished || call.name === null || call.arguments.length === call.handedOver) return;
    // What is in doubt waits.
    if (call.otherReading !== null) return;
    // Some servers open every call with `{}` and send its arguments afterwards: what may still be replaced waits.
    if (call.handedOver === 0 && call.arguments === "{}") return;
    push({ type: "call_arguments", index: call.index, delta: call.arguments.slice(call.handedOver) });
    call.handedOver = call.arguments.length;
  }

  function close(call: OpenCall): void {
    if (call.isFinished || call.name === null) return;
    if (call.handedOver < call.arguments.length) {
      push({ type: "call_arguments", index: call.index, delta: call.arguments.slice(call.handedOver) });
      call.handedOver = call.arguments.length;
    }
    call.isFinished = true;
    push({ type: "call_finished", index: call.index });
  }

  function finishAll(isCut: boolean): number {
    let added = 0;
    for (const call of calls) {
      if (call.isFinished) continue;
      if (call.name === null) throw options.fail("The provider sent a tool call without a name.");
      const rest = call.cleaner.end();
      call.arguments += rest;
      if (call.otherReading !== null) call.otherReading += rest;
      decide(call);
      // Cut within its arguments: the call stays open and the turn ends incomplete.
      if (isCut && !isWhole(call.arguments)) {
        handOver(call);
        continue;
      }
      if (call.arguments.trim() === "" && call.handedOver === 0) {
        call.arguments = "{}";
        added += 2;
      }
      if (!isWhole(call.arguments)) {
        push(argumentsWarning(options.originalToolName(call.name)));
      }
      close(call);
    }
    return added;
  }

  return {
    push: pushDelta,
    finish: finishAll,
    areFinished: () => calls.every(({ isFinished }) => isFinished),
    count: () => calls.length,
  };
}

/** Arguments come as a text, or as the object itself. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function readIndex(delta: JsonRecord): number | null {
  return typeof delta.index === "number" ? delta.index : null;
}
