// The function calls of a response. A server may send the arguments as deltas, at their own end, or with the call: they are taken from
// wherever they are, once.
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { CallOutput } from "../wire/call-output.ts";
import { argumentsWarning, isObjectText } from "../wire/calls.ts";
import { readText } from "../wire/json-shape.ts";
import type { RoundDecoding } from "../wire/round-decoding.ts";
import { Identities, type ItemNames, type TrackedItem, trackItem } from "./identities.ts";

interface Call extends TrackedItem {
  /** The name as the server sent it. */
  readonly name: string | null;
  readonly output: CallOutput;
  /** The arguments of its announcement. */
  readonly announced: string;
  /** Whether all arguments have arrived. */
  isWhole: boolean;
}

/** Collects the calls of one response. */
export class Calls {
  readonly #decoding: RoundDecoding;
  readonly #onShow: () => void;
  readonly #calls: Identities<Call>;
  #begun = 0;

  /** `onBegin` is called with each new call, `onShow` before that. */
  constructor(decoding: RoundDecoding, onBegin: (call: TrackedItem) => void, onShow: () => void) {
    this.#decoding = decoding;
    this.#onShow = onShow;
    this.#calls = new Identities<Call>(onBegin);
  }

  /** A call is announced. Without a name it begins at its end. */
  begin(names: ItemNames, item: JsonObject): void {
    if (readText(item.name) !== null && this.#calls.ofAnnounced(names) === undefined) this.#begin(names, item);
  }

  /** The next piece of the arguments. */
  addArguments(names: ItemNames, piece: string): void {
    const call = this.#calls.ofPart(names);
    // For a call that has not begun, its end has all arguments.
    if (call !== undefined && !call.isEnded && !call.isWhole) add(call, piece);
  }

  /** The arguments are complete. */
  endArguments(names: ItemNames, whole: string): void {
    const call = this.#calls.ofPart(names);
    if (call === undefined || call.isEnded || call.isWhole || isEmpty(whole)) return;
    complete(call, whole);
    call.isWhole = true;
  }

  /** A call has ended. `isListed`: in the final response. */
  end(names: ItemNames, item: JsonObject, { isListed }: { readonly isListed: boolean }): Call {
    const whole = readArguments(item);
    const isSame = (one: Call) => isSameCall(one, readText(item.name), whole);
    const known = isListed ? this.#calls.ofListed(names, isSame) : this.#calls.ofEnded(names, isSame);
    const call = known ?? this.#begin(names, item);
    if (call.isEnded) return call;
    if (!isEmpty(whole)) complete(call, whole);
    // A truncated call stays open: the turn ends incomplete.
    if (item.status !== "incomplete") this.#end(call);
    return call;
  }

  /** Ends the calls whose end did not arrive; if the response `isCut`, only those with all their arguments. */
  endAll(isCut: boolean): void {
    for (const call of this.#calls.all()) if (!call.isEnded && (call.isWhole || !isCut)) this.#end(call);
  }

  #begin(names: ItemNames, item: JsonObject): Call {
    this.#onShow();
    const name = readText(item.name);
    const output = new CallOutput(this.#decoding, this.#begun++, { name, id: names.callId });
    const call: Call = { ...trackItem(names, true), name, output, announced: readArguments(item), isWhole: false };
    this.#calls.add(call);
    return call;
  }

  #end(call: Call): void {
    const { output, announced } = call;
    if (output.length === 0) output.add(announced || "{}");
    const whole = output.end();
    const { callId, name } = output;
    if (!isObjectText(whole)) this.#decoding.push(argumentsWarning(name));
    output.finish();
    call.isEnded = true;
    call.round = { type: "function_call", call_id: callId, name, arguments: whole };
  }
}

function add({ output }: Call, piece: string): void {
  // `{}` at first stands for arguments that follow, and otherwise for none: then the call gets it at its end.
  if (piece !== "" && !(output.length === 0 && isEmpty(piece))) output.add(piece);
}

/** Emits what has not arrived of the whole arguments. If they differ from those that have, these stay. */
function complete(call: Call, whole: string): void {
  if (call.output.continuesWith(whole)) add(call, whole.slice(call.output.length));
}

/** Whether a call may be the one with this name and these arguments. */
function isSameCall({ name, output }: Call, otherName: string | null, whole: string): boolean {
  if (otherName !== null && otherName !== name) return false;
  return isEmpty(whole) || output.continuesWith(whole) || output.startsWith(whole);
}

/** The arguments of a call, which some servers send as an object. */
function readArguments({ arguments: value }: JsonObject): string {
  return isJsonObject(value) ? JSON.stringify(value) : (readText(value) ?? "");
}

/** Whether arguments say nothing: blank, or an empty object. */
function isEmpty(callArguments: string): boolean {
  return /^\s*(?:\{\s*\}\s*)?$/.test(callArguments);
}
