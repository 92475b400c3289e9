// The function calls of a response. A server may send the arguments as deltas, at their own end, or with the call: they are taken from
// wherever they are, once.
import type { JsonObject } from "../../base/json.ts";
import { argumentsText } from "../wire/arguments.ts";
import { CallOutput, saysNothing } from "../wire/call-output.ts";
import { argumentsWarning, isObjectText } from "../wire/calls.ts";
import type { RoundDecoding } from "../wire/round-decoding.ts";
import { Identities, type ItemNames, type TrackedItem, trackItem } from "./identities.ts";

interface Call extends TrackedItem {
  readonly output: CallOutput;
  /** The arguments of its announcement. */
  readonly announced: string;
  /** Whether all arguments have arrived. */
  isWhole: boolean;
  /** Whether its end says that it was cut short. */
  isCut: boolean;
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
    if (names.tool !== null && this.#calls.ofAnnounced(names) === undefined) this.#begin(names, item);
  }

  /** The next piece of the arguments. */
  addArguments(names: ItemNames, piece: string): void {
    const call = this.#calls.ofPart(names);
    // For a call that has not begun, its end has all arguments.
    if (call !== undefined && !call.isEnded && !call.isWhole) call.output.add(piece);
  }

  /** The arguments are complete. */
  endArguments(names: ItemNames, whole: string): void {
    const call = this.#calls.ofPart(names);
    if (call === undefined || call.isEnded || call.isWhole) return;
    complete(call, whole);
    call.isWhole = !saysNothing(whole);
  }

  /** A call has ended. `isListed`: in the final response. */
  end(names: ItemNames, item: JsonObject, { isListed }: { readonly isListed: boolean }): Call {
    const whole = argumentsText(item.arguments);
    const isSame = (one: Call) => isSameCall(one, names.tool, whole);
    const known = isListed
      ? (this.#calls.ofListed(names, isSame) ??
        this.#calls.ofRenamed(names, (one) => one.names.tool === names.tool && hasArguments(one, whole)))
      : this.#calls.ofEnded(names, isSame);
    const call = known ?? this.#begin(names, item);
    if (call.isEnded) return call;
    complete(call, whole);
    call.isCut = item.status === "incomplete";
    if (call.isCut) return call;
    call.isEnded = true;
    // Some servers call every call completed. If its arguments are no object, the end of the response decides.
    this.#finish(call, true);
    return call;
  }

  /** Finishes the other calls; if the response `isCut`, only those whose arguments are an object. */
  endAll(isCut: boolean): void {
    for (const call of this.#calls.all()) {
      // A call that was cut short stays open: the turn ends incomplete.
      if (!call.output.isFinished && (call.isWhole || !call.isCut)) this.#finish(call, isCut);
    }
  }

  #begin(names: ItemNames, item: JsonObject): Call {
    this.#onShow();
    const output = new CallOutput(this.#decoding, this.#begun++, { name: names.tool, id: names.callId });
    const call: Call = {
      ...trackItem(names, true),
      output,
      announced: argumentsText(item.arguments),
      isWhole: false,
      isCut: false,
    };
    this.#calls.add(call);
    return call;
  }

  /** Finishes a call; one that may be cut only if its arguments are an object. */
  #finish(call: Call, mayBeCut: boolean): void {
    const { output, announced } = call;
    if (output.length === 0 && !saysNothing(announced)) output.add(announced);
    if (output.length === 0 && !mayBeCut) output.add("{}");
    const whole = output.end();
    const isObject = isObjectText(whole);
    if (mayBeCut && !isObject) return;
    const { callId, name } = output;
    if (!isObject) this.#decoding.push(argumentsWarning(name));
    output.finish();
    call.isEnded = true;
    call.round = { type: "function_call", call_id: callId, name, arguments: whole };
  }
}

/** Emits what has not arrived of the whole arguments. If they differ from those that have, these stay. */
function complete({ output }: Call, whole: string): void {
  if (saysNothing(whole) ? output.length === 0 : output.continuesWith(whole)) output.add(whole.slice(output.length));
}

/** Whether a call may be the one with this name and these arguments. */
function isSameCall({ names, output }: Call, tool: string | null, whole: string): boolean {
  if (tool !== null && tool !== names.tool) return false;
  return saysNothing(whole) || output.continuesWith(whole) || output.startsWith(whole);
}

/** Whether these are all arguments of a call. */
function hasArguments({ output }: Call, whole: string): boolean {
  const text = saysNothing(whole) ? "{}" : whole;
  return output.length === 0 ? text === "{}" : output.continuesWith(text) && output.startsWith(text);
}
