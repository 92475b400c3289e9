// The history as contents: what the user and the model said by turns, calls in the model's, results in a user content behind it.
// A round of this same turn is not rebuilt but sent as it came.
import type { Prompt, PromptItem } from "../../core/turn/prompt.ts";
import { encodeArguments, mayHoldLongNumbers } from "../arguments.ts";
import { resultsByCall } from "../calls.ts";
import { CLOSING } from "../filler-words.ts";
import { isRecord, type JsonRecord } from "../json-shape.ts";
import type { Labels } from "../labels.ts";
import { CARRIED_TOOL_NAME } from "../tools.ts";
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
  readonly functionCall: { readonly id: string; readonly name: string; readonly args: JsonRecord };
  readonly thoughtSignature?: string;
}

export interface WireResponse {
  readonly functionResponse: {
    readonly id?: string;
    readonly name: string;
    readonly response: { readonly output: string };
  };
}

/** A part as the provider sent it. */
type ReplayedPart = JsonRecord;

export interface WireMessages {
  readonly system: readonly WireText[];
  readonly contents: WireContent[];
}

/** The provider's own word for a call whose signature is not at hand: from another model, another turn, or the client. */
const NO_SIGNATURE = "skip_thought_signature_validator";
/** Stands before a history that begins with the model: contents must begin and end with the user. */
const OPENING = "(earlier exchange)";

export interface EncodeMessagesOptions {
  readonly traits: ModelTraits;
  /** Labels of every tool that the prompt names. */
  readonly toolNames: Labels;
}

type Call = PromptItem & { readonly type: "call" };

/** What a call is sent as, and its result answers. */
interface SentAs {
  readonly id?: string;
  readonly name: string;
}

/** Encodes instructions and history, oldest first. System words in the midst of a history have no place but the front. */
export function encodeMessages({ instructions, items }: Prompt, options: EncodeMessagesOptions): WireMessages {
  const system: WireText[] = instructions === null ? [] : [{ text: instructions }];
  const contents: WireContent[] = [];
  const results = resultsByCall(items);
  /** What a replayed round says already. */
  const said = new Set<PromptItem>();
  /** The content that takes further parts of its role: neither a replayed one nor one of results. */
  let open: WireContent | null = null;

  function say(role: WireContent["role"], parts: readonly WirePart[]): void {
    if (open?.role === role) for (const part of parts) open.parts.push(part);
    else contents.push((open = { role, parts: [...parts] }));
  }

  /** Says parts that nothing follows in their content. A call may not follow a content of the model's: it belongs to it. */
  function seal(role: WireContent["role"], parts: readonly WirePart[]): void {
    if (parts.length > 0) say(role, parts);
    open = null;
  }

  /** Places the results of calls, by their call_ids, each under what its call is sent as. */
  function respond(sent: Iterable<readonly [string, SentAs]>): void {
    const responses = Array.from(sent).flatMap(([callId, sentAs]): WireResponse[] => {
      const output = results.get(callId)?.shift();
      return output === undefined ? [] : [{ functionResponse: { ...sentAs, response: { output } } }];
    });
    seal("user", responses);
  }

  /** Sends a round as it came, without the calls that its response did not return: nobody answered them. */
  function replay(state: RoundState, index: number): void {
    const { calls, answers } = coverage(state, items, index);
    if (calls.length === 0) return;
    const sent = new Map<string, SentAs>();
    const kept: JsonRecord[] = [];
    let position = 0;
    for (const part of state.parts) {
      if (!isCallPart(part)) {
        kept.push(part);
        continue;
      }
      const callId = state.callIds[position++];
      const call = calls.find((other) => other.callId === callId);
      if (callId === undefined || call === undefined) continue;
      // Of calls side by side the first is signed, as a rule; the provider refuses a round of which it is not.
      const isUnsigned = sent.size === 0 && options.traits.signsCalls && part.thoughtSignature === undefined;
      const exact = withDigits(part, call);
      kept.push(isUnsigned ? { ...exact, thoughtSignature: NO_SIGNATURE } : exact);
      sent.set(callId, readSentAs(part));
    }
    for (const item of [...calls, ...answers]) said.add(item);
    seal("model", kept);
    respond(sent);
  }

  for (let index = 0; index < items.length; index++) {
    const item = items[index] as PromptItem;
    if (said.has(item)) continue;
    switch (item.type) {
      case "message":
        if (item.role === "user") say("user", [{ text: item.text }]);
        else system.push({ text: item.text });
        break;
      case "answer":
        // An answer that declined without a word: there is nothing to repeat.
        if (item.text !== "") say("model", [{ text: item.text }]);
        break;
      case "call": {
        const calls = [item];
        for (let next = items[index + 1]; next?.type === "call" && !said.has(next); next = items[index + 1]) {
          calls.push(next);
          index++;
        }
        const parts = calls.map((call) => encodeCall(call, options));
        say("model", parts);
        respond(parts.map(({ functionCall: { id, name } }) => [id, { id, name }]));
        break;
      }
      case "state": {
        const state = readRoundState(item.state);
        if (state !== null) replay(state, index);
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
  return { system, contents };
}

/** The id and the name of a call, as the provider sent it: an id may be missing. */
function readSentAs({ functionCall }: JsonRecord): SentAs {
  const { id, name }: JsonRecord = isRecord(functionCall) ? functionCall : {};
  return { ...(typeof id === "string" ? { id } : {}), name: typeof name === "string" ? name : CARRIED_TOOL_NAME };
}

/** The items behind a state that its parts say already: its calls, and the answers that its text consists of. */
function coverage(state: RoundState, items: readonly PromptItem[], index: number) {
  const callIds = new Set(state.callIds);
  let text = visibleText(state);
  const calls: Call[] = [];
  const answers: PromptItem[] = [];
  for (const item of items.slice(index + 1)) {
    if (item.type === "state" || item.type === "message") break;
    if (item.type === "call" && callIds.has(item.callId)) calls.push(item);
    if (item.type !== "answer" || !text.startsWith(item.text)) continue;
    text = text.slice(item.text.length);
    answers.push(item);
  }
  return { calls, answers };
}

/** A part of a call whose arguments have the digits that a kept state, read as any JSON, has lost. */
function withDigits(part: JsonRecord, { arguments: text }: Call): JsonRecord {
  if (!mayHoldLongNumbers(text) || !isRecord(part.functionCall)) return part;
  return { ...part, functionCall: { ...part.functionCall, args: encodeArguments(text) } };
}

function encodeCall({ callId, name, arguments: text }: Call, { traits, toolNames }: EncodeMessagesOptions): WireCall {
  return {
    functionCall: { id: callId, name: toolNames.toWire(name ?? CARRIED_TOOL_NAME), args: encodeArguments(text) },
    ...(traits.signsCalls ? { thoughtSignature: NO_SIGNATURE } : {}),
  };
}
