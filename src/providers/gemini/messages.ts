// Encodes the history as contents that alternate between user and model: calls in a model content, results in the next
// user content. A round of the current turn is replayed from its state.
import type { Prompt, PromptItem } from "../../core/response/prompt.ts";
import { mayHoldUnusualNumbers } from "../../base/exact-json.ts";
import { encodeArguments } from "../wire/arguments.ts";
import { type Call, resultsByCall } from "../wire/calls.ts";
import { CLOSING } from "../wire/filler-words.ts";
import { itemsOfRound } from "../wire/replay.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { WireNames } from "../wire/wire-names.ts";
import { CARRIED_TOOL_NAME } from "../wire/tools.ts";
import type { ModelTraits } from "./model-traits.ts";
import { isCallPart, readRoundState, type RoundState, visibleText } from "./round-state.ts";

export interface WireContent {
  readonly role: "user" | "model";
  readonly parts: WirePart[];
}

type WirePart = WireText | WireCall | WireResponse | ReplayedPart;

export interface WireText {
  readonly text: string;
}

export interface WireCall {
  readonly functionCall: { readonly id: string; readonly name: string; readonly args: JsonObject };
  readonly thoughtSignature?: string;
}

export interface WireResponse {
  readonly functionResponse: {
    readonly id?: string;
    readonly name: string;
    readonly response: { readonly output: string };
  };
}

/** A part from a round's state. */
type ReplayedPart = JsonObject;

export interface WireMessages {
  readonly system: readonly WireText[];
  readonly contents: WireContent[];
}

/** The provider's placeholder for the signature of a call from another model, another turn or the client. */
const NO_SIGNATURE = "skip_thought_signature_validator";
/** Precedes a history that begins with the model: contents must begin and end with the user. */
const OPENING = "(earlier exchange)";

export interface EncodeMessagesOptions {
  readonly traits: ModelTraits;
  /** Has every tool that the prompt names. */
  readonly toolNames: WireNames;
}

/** The id and name of a call on the wire, which its result repeats. */
interface SentAs {
  readonly id?: string;
  readonly name: string;
}

/** Encodes instructions and history, oldest first. System messages within the history move to the front. */
export function encodeMessages({ instructions, items }: Prompt, options: EncodeMessagesOptions): WireMessages {
  const system: WireText[] = instructions === null ? [] : [{ text: instructions }];
  const contents: WireContent[] = [];
  const results = resultsByCall(items);
  /** Items that a replayed round includes. */
  const replayed = new Set<PromptItem>();
  /** The content that takes further parts of its role; never a replayed one or one with results. */
  let open: WireContent | null = null;

  function add(role: WireContent["role"], parts: readonly WirePart[]): void {
    if (open?.role === role) for (const part of parts) open.parts.push(part);
    else contents.push((open = { role, parts: [...parts] }));
  }

  /** Adds parts and ends their content. */
  function seal(role: WireContent["role"], parts: readonly WirePart[]): void {
    if (parts.length > 0) add(role, parts);
    open = null;
  }

  /** Adds the results of calls, by their ids in the prompt, each with the id and name of its call on the wire. */
  function addResults(sent: Iterable<readonly [string, SentAs]>): void {
    const responses = Array.from(sent).flatMap(([callId, sentAs]): WireResponse[] => {
      const output = results.get(callId);
      return output === undefined ? [] : [{ functionResponse: { ...sentAs, response: { output } } }];
    });
    seal("user", responses);
  }

  /** Replays a round without the calls that its response did not return, which have no output. */
  function replay(state: RoundState, callIds: ReadonlyMap<string, string>, index: number): void {
    const { calls, texts } = itemsOfRound({ callIds: callIds.values(), text: visibleText(state) }, items, index + 1);
    if (calls.size === 0) return;
    const sent = new Map<string, SentAs>();
    const kept: JsonObject[] = [];
    let position = 0;
    for (const part of state.parts) {
      if (!isCallPart(part)) {
        kept.push(part);
        continue;
      }
      const call = calls.get(callIds.get(state.callIds[position++] ?? "") ?? "");
      if (call === undefined) continue;
      // Usually the first of parallel calls is signed. The provider rejects a round without that signature.
      const isUnsigned = sent.size === 0 && options.traits.signsCalls && part.thoughtSignature === undefined;
      const exact = withDigits(withId(part, call), call);
      kept.push(isUnsigned ? { ...exact, thoughtSignature: NO_SIGNATURE } : exact);
      sent.set(call.callId, readSentAs(exact));
    }
    for (const item of [...calls.values(), ...texts]) replayed.add(item);
    seal("model", kept);
    addResults(sent);
  }

  for (let index = 0; index < items.length; index++) {
    const item = items[index] as PromptItem;
    if (replayed.has(item)) continue;
    switch (item.type) {
      case "message":
        if (item.role === "user") add("user", [{ text: item.text }]);
        else system.push({ text: item.text });
        break;
      case "assistant":
        // A refusal without text has nothing to repeat.
        if (item.text !== "") add("model", [{ text: item.text }]);
        break;
      case "call": {
        const calls = [item];
        for (let next = items[index + 1]; next?.type === "call" && !replayed.has(next); next = items[index + 1]) {
          calls.push(next);
          index++;
        }
        const parts = calls.map((call) => encodeCall(call, options));
        add("model", parts);
        addResults(parts.map(({ functionCall: { id, name } }) => [id, { id, name }]));
        break;
      }
      case "state": {
        const state = readRoundState(item.state);
        if (state !== null) replay(state, item.callIds, index);
        break;
      }
      case "result":
        // Placed with its call.
        break;
      default:
        item satisfies never;
    }
  }
  if (contents[0]?.role === "model") contents.unshift({ role: "user", parts: [{ text: OPENING }] });
  if (contents.at(-1)?.role === "model") contents.push({ role: "user", parts: [{ text: CLOSING }] });
  if (options.traits.takesInstructions || system.length === 0) return { system, contents };
  const [first, ...others] = contents;
  return { system: [], contents: [{ role: "user", parts: [...system, ...(first?.parts ?? [])] }, ...others] };
}

/** The id and name of a call as the provider sent it; the id may be missing. */
function readSentAs({ functionCall }: JsonObject): SentAs {
  const { id, name }: JsonObject = isJsonObject(functionCall) ? functionCall : {};
  return { ...(typeof id === "string" ? { id } : {}), name: typeof name === "string" ? name : CARRIED_TOOL_NAME };
}

/** A call part whose id, if it has one, is its call's: the provider may have sent an id that was in use. */
function withId(part: JsonObject, { callId }: Call): JsonObject {
  if (!isJsonObject(part.functionCall) || typeof part.functionCall.id !== "string") return part;
  return part.functionCall.id === callId ? part : { ...part, functionCall: { ...part.functionCall, id: callId } };
}

/** A call part with the exact digits of its arguments, which the JSON of a stored state loses. */
function withDigits(part: JsonObject, { arguments: text }: Call): JsonObject {
  if (!mayHoldUnusualNumbers(text) || !isJsonObject(part.functionCall)) return part;
  return { ...part, functionCall: { ...part.functionCall, args: encodeArguments(text) } };
}

function encodeCall({ callId, name, arguments: text }: Call, { traits, toolNames }: EncodeMessagesOptions): WireCall {
  return {
    functionCall: { id: callId, name: toolNames.toWire(name ?? CARRIED_TOOL_NAME), args: encodeArguments(text) },
    ...(traits.signsCalls ? { thoughtSignature: NO_SIGNATURE } : {}),
  };
}
