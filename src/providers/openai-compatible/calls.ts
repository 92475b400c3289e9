// Assembles the tool calls of a chat completion from deltas that may lack an index, an id or both, repeat all arguments, or send them
// as an object.
import { countCharacters } from "../../contract/characters.ts";
import { argumentsText } from "../wire/arguments.ts";
import { argumentsWarning } from "../wire/calls.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { readIndex, readText } from "../wire/json-shape.ts";
import { objectText, ObjectText } from "../wire/object-text.ts";
import type { RoundDecoding } from "../wire/round-decoding.ts";
import { returnedFields } from "./round-state.ts";
import { createTextCleaner, type TextCleaner } from "../wire/text-cleaner.ts";

interface AssembledCall {
  /** The part's index. */
  readonly index: number;
  /** The server's index and id; null if not sent yet. */
  readonly wireIndex: number | null;
  wireId: string | null;
  name: string | null;
  /** Null until the name has arrived. */
  callId: string | null;
  /** The fields that come back with its result. */
  returned: JsonObject;
  /** The arguments so far. */
  arguments: ObjectText;
  /** Another interpretation of the same fragments, decided at the end; null if there is none. */
  alternative: ObjectText | null;
  /** The end of the arguments, not emitted yet. */
  waiting: string;
  /** Its length that is counted as held. */
  held: number;
  readonly cleaner: TextCleaner;
  isFinished: boolean;
}

/** Decodes the calls of one response. The time of a step does not depend on earlier calls or arguments. */
export function createCallDecoder(decoding: RoundDecoding) {
  const calls: AssembledCall[] = [];
  /** The newest call by the server's index, and by its id. */
  const byWireIndex = new Map<number, AssembledCall>();
  const byWireId = new Map<string, AssembledCall>();
  /** The calls that received a delta since the newest one began. */
  const changed = new Set<AssembledCall>();
  /** A complete call whose name came again, without arguments: those that follow may be another call's. */
  let namedAgain: AssembledCall | null = null;
  /** The name of the call that a nameless delta begins after that. */
  let nameBefore: string | null = null;

  function pushDelta(delta: unknown): void {
    if (!isJsonObject(delta)) return;
    const body = isJsonObject(delta.function) ? delta.function : delta;
    nameBefore = null;
    const call = find(delta, body) ?? open(delta);
    changed.add(call);
    if (call.wireId === null) nameWireId(call, readText(delta.id));
    const returned = returnedFields(delta);
    if (returned !== null) {
      decoding.countState(JSON.stringify(returned).length);
      call.returned = { ...call.returned, ...returned };
    }
    const name = call.name === null ? (readText(body.name) ?? nameBefore) : null;
    if (name !== null) begin(call, name);
    addArguments(call, body.arguments);
    emitArguments(call);
    hold(call);
  }

  /** Counts the arguments that wait: those of a call without a name may be long. */
  function hold(call: AssembledCall): void {
    const more = call.waiting.length - call.held;
    if (more === 0) return;
    call.held += more;
    decoding.defer(more, more, 0);
  }

  /** The call that a delta continues; undefined if it begins a new one. */
  function find(delta: JsonObject, body: JsonObject): AssembledCall | undefined {
    const id = readText(delta.id);
    const name = readText(body.name);
    const wireIndex = readIndex(delta.index);
    // Of calls that share an id, the index tells.
    const placed = wireIndex === null ? undefined : byWireIndex.get(wireIndex);
    const identified = id === null ? undefined : placed?.wireId === id ? placed : byWireId.get(id);
    // Servers that send index 0 for every call are found by their ids. Two calls may also share an id: only a new call has a name.
    const isElsewhere = wireIndex !== null && identified !== undefined && identified.wireIndex !== wireIndex;
    if (identified !== undefined && !(isElsewhere && name !== null)) {
      return beginsAgain(identified, name, body.arguments) ? undefined : identified;
    }
    const candidate = wireIndex === null ? calls.at(-1) : placed;
    if (candidate === undefined) return undefined;
    // For servers that send index 0 for every call, or none: another name means another call, and so does another id, unless the server
    // sends a new one with every piece.
    if (id !== null && candidate.wireId !== null && (name !== null || candidate.arguments.isObject())) return undefined;
    return beginsAgain(candidate, name, body.arguments) ? undefined : candidate;
  }

  /**
   * Whether a delta with this name begins another call: it has another name, or the same and different arguments after complete ones.
   * The name may come before them, without any. Equal arguments are a repetition.
   */
  function beginsAgain(call: AssembledCall, name: string | null, value: unknown): boolean {
    if (call.name === null || (name === null && call !== namedAgain)) return false;
    if (name !== null && name !== call.name) return true;
    if (emittedLength(call) === 0 || !call.arguments.isObject()) return false;
    if (isBlank(value)) {
      namedAgain = call;
      return false;
    }
    const fragment = argumentsText(value);
    const isAnother = fragment.trimStart().startsWith("{") && !isText(call.arguments, fragment);
    if (isAnother) nameBefore = call.name;
    return isAnother;
  }

  function open(delta: JsonObject): AssembledCall {
    // The next call begins: earlier complete ones are finished.
    for (const call of changed) {
      decide(call);
      // `{}` may still be replaced if the server identifies the call by index.
      const isPreliminary = call.wireIndex !== null && isHeldBack(call);
      if (call.arguments.isObject() && !isPreliminary) close(call);
    }
    changed.clear();
    namedAgain = null;
    decoding.countPiece();
    const call: AssembledCall = {
      index: calls.length,
      wireIndex: readIndex(delta.index),
      wireId: null,
      name: null,
      callId: null,
      returned: {},
      arguments: new ObjectText(),
      alternative: null,
      waiting: "",
      held: 0,
      cleaner: createTextCleaner(decoding.warnOfNul),
      isFinished: false,
    };
    calls.push(call);
    if (call.wireIndex !== null) byWireIndex.set(call.wireIndex, call);
    nameWireId(call, readText(delta.id));
    return call;
  }

  function nameWireId(call: AssembledCall, wireId: string | null): void {
    if (wireId === null) return;
    call.wireId = wireId;
    const known = byWireId.get(wireId);
    if (known === undefined || known.index < call.index) byWireId.set(wireId, call);
  }

  function begin(call: AssembledCall, name: string): void {
    const toolName = decoding.readToolName(name);
    // Some servers number their calls from zero in every response.
    const callId = decoding.takeCallId(call.wireId);
    call.name = name;
    call.callId = callId;
    decoding.outputCharacters += countCharacters(name);
    decoding.push({ type: "call_started", index: call.index, callId, name: toolName });
  }

  function addArguments(call: AssembledCall, value: unknown): void {
    if (isBlank(value)) return;
    const fragment = call.cleaner.clean(argumentsText(value));
    const known = call.arguments;
    call.alternative?.add(fragment);
    // A fragment that begins a JSON object again repeats the arguments from the start, possibly with more of them.
    if (known.length > 0 && fragment.startsWith("{")) {
      if (fragment.length >= known.length && fragment.startsWith(known.whole())) {
        // It may also be a nested value that looks like a repetition: `{"not":` and then `{"not":{}}}`.
        if (!known.isObject()) call.alternative ??= objectText(known.whole() + fragment);
        replaceArguments(call, fragment);
        return;
      }
      // `{}` first, then the arguments. Other complete arguments are already emitted and stay.
      if (known.isObject()) {
        if (emittedLength(call) === 0) replaceArguments(call, fragment);
        return;
      }
    }
    known.add(fragment);
    call.waiting += fragment;
    decoding.outputCharacters += countCharacters(fragment);
  }

  function replaceArguments(call: AssembledCall, fragment: string): void {
    decoding.outputCharacters += countCharacters(fragment.slice(call.arguments.length));
    call.waiting = fragment.slice(emittedLength(call));
    call.arguments = objectText(fragment);
  }

  /** Chooses the first interpretation, unless only the other is a JSON object. */
  function decide(call: AssembledCall): void {
    const { alternative } = call;
    if (alternative === null) return;
    if (!call.arguments.isObject() && alternative.isObject()) replaceArguments(call, alternative.whole());
    call.alternative = null;
  }

  function emitArguments(call: AssembledCall): void {
    if (call.isFinished || call.name === null) return;
    // Ambiguous arguments wait.
    if (call.alternative !== null) return;
    // Some servers begin every call with `{}` and send its arguments afterwards, so `{}` waits.
    if (!isHeldBack(call)) emitWaiting(call);
  }

  function emitWaiting(call: AssembledCall): void {
    if (call.waiting === "") return;
    decoding.push({ type: "call_arguments", index: call.index, delta: call.waiting });
    call.waiting = "";
  }

  function close(call: AssembledCall): void {
    if (call.isFinished || call.name === null) return;
    emitWaiting(call);
    call.isFinished = true;
    decoding.push({ type: "call_finished", index: call.index });
  }

  function finishAll(isCut: boolean): void {
    for (const call of calls) {
      // Announced, and nothing more.
      if (call.isFinished || (call.name === null && call.arguments.length === 0)) continue;
      const toolName = decoding.readToolName(call.name);
      const rest = call.cleaner.end();
      call.arguments.add(rest);
      call.waiting += rest;
      call.alternative?.add(rest);
      decide(call);
      // Truncated within its arguments: the call stays open and the turn ends incomplete.
      if (isCut && !call.arguments.isObject()) {
        emitArguments(call);
        continue;
      }
      if (emittedLength(call) === 0 && call.arguments.whole().trim() === "") {
        call.arguments = objectText("{}");
        call.waiting = "{}";
        decoding.outputCharacters += 2;
      }
      if (!call.arguments.isObject()) decoding.push(argumentsWarning(toolName));
      close(call);
    }
  }

  return {
    /** Reads one entry of `tool_calls`. */
    push: pushDelta,
    /** Finishes every call that is not truncated. */
    finish: finishAll,
    /** Whether every call is finished. After `finish`, false if one is truncated. */
    areFinished: (): boolean => calls.every(({ isFinished, name }) => isFinished || name === null),
    count: (): number => calls.length,
    /** The fields that come back with the calls' results, by call_id. */
    returned: (): Readonly<Record<string, JsonObject>> =>
      Object.fromEntries(
        calls.flatMap(({ callId, returned }) =>
          callId === null || Object.keys(returned).length === 0 ? [] : [[callId, returned]],
        ),
      ),
  };
}

/** Length of the emitted arguments. */
function emittedLength(call: AssembledCall): number {
  return call.arguments.length - call.waiting.length;
}

/** Whether the arguments are `{}` so far, and not emitted. */
function isHeldBack(call: AssembledCall): boolean {
  return call.waiting === "{}" && call.arguments.length === 2;
}

function isText(text: ObjectText, other: string): boolean {
  return text.length === other.length && text.whole() === other;
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}
