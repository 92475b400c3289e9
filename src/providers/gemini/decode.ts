// The chunks of generateContent become parts. One decoder reads a whole round, which may take several answers:
//
//   thoughts… ──first text or call──▶ one reasoning part, then text as it comes and calls whole
//   finishReason ──▶ noted; more counts may follow ──end of the body──▶ continued by a further answer,
//                                                                       or calls' state, refusal, usage, `finished`
import { countCharacters } from "../../contract/characters.ts";
import type { Usage } from "../../contract/resources.ts";
import type { Prompt } from "../../core/turn/prompt.ts";
import type { ProviderPart } from "../../ports/provider.ts";
import { parseExactly } from "../arguments.ts";
import { takenCallIds } from "../calls.ts";
import { tellEstimate } from "../estimate.ts";
import type { AnswerHead, AnswerProgress, AnswerReader } from "../exchange.ts";
import { answerFailure } from "../failures.ts";
import { findAlternative, isRecord, type JsonRecord, parseJson, readText } from "../json-shape.ts";
import { createTextCleaner } from "../text-cleaner.ts";
import { streamFailure } from "./failures.ts";
import { type Ending, endingOf } from "./finish-reasons.ts";
import { readPlainChunk } from "./plain-chunk.ts";
import { createRoundState } from "./round-state.ts";
import { decodeUsage, sumUsage } from "./usage.ts";

export interface DecoderOptions {
  readonly apiKey: string | null;
  /** For the estimate of an input that is not counted, the call_ids that are taken, and where a continued answer must end. */
  readonly prompt: Prompt;
  receive(parts: readonly ProviderPart[]): void;
  mintCallId(): string;
  /** The tool's own name for one of the wire. */
  originalToolName(name: string): string;
}

export interface Decoder {
  /** Opens the reader of the round's next answer; it throws a ProviderFailure where that is none. */
  read(head: AnswerHead): AnswerReader;
  /** After an answer: what to ask with for the next one; null when the round is over. */
  continuationToken(): string | null;
}

/** Most answers of one round: a provider that asks to be continued without end. The largest output seen takes some thirty. */
const ANSWERS_MAX = 64;

/** Decodes one round. */
export function createDecoder(options: DecoderOptions): Decoder {
  const { apiKey, prompt, receive } = options;
  let head: AnswerHead | null = null;
  let parts: ProviderPart[] = [];

  // Of the answer being read.
  let progress: AnswerProgress = "running";
  let ending: Ending | null = null;
  let token: string | null = null;
  let usage: Usage | null = null;
  /** The newest counts, an object or its JSON, until they are told. */
  let untold: JsonRecord | string | null = null;

  // Of the round.
  let answers = 0;
  let continuationToken: string | null = null;
  let usageBefore: Usage | null = null;
  const content: JsonRecord[] = [];
  const callIds: string[] = [];
  let takenIds: Set<string> | null = null;
  let hasOutput = false;
  let thoughts = "";
  let thoughtSignature: string | null = null;
  let outputCharacters = 0;
  let thoughtCharacters = 0;

  const fail = (message: string) => answerFailure(currentHead(), message);
  const unreadable = () => fail("The provider sent text that cannot be stored.");
  const cleaner = createTextCleaner(unreadable);

  function currentHead(): AnswerHead {
    if (head === null) throw new Error("no answer is being read");
    return head;
  }

  function event(data: string): void {
    if (progress === "over") return;
    // The first chunk is read whole for the name of the request.
    const plain = currentHead().requestId === null ? null : readPlainChunk(data);
    if (plain !== null) {
      untold = plain.usage;
      readPart({ text: plain.text });
      return;
    }
    // No word of this wire, but of gateways before it.
    if (data === "[DONE]") return;
    const chunk = parseAnswer(data);
    if (chunk === undefined) throw fail("The provider sent a chunk that is no JSON.");
    readChunk(chunk);
  }

  /** Without `alt=sse` the chunks come as an array; an answer that was not streamed is one chunk. */
  function document(text: string): void {
    const value = parseAnswer(text.replace(/^\uFEFF/, ""));
    if (Array.isArray(value)) for (const chunk of value) readChunk(chunk);
    else if (isRecord(value)) readChunk(value);
    else throw fail("The provider's answer is neither an event stream nor JSON.");
  }

  function readChunk(chunk: unknown): void {
    if (!isRecord(chunk)) throw fail("The provider sent a chunk that is no object.");
    if (chunk.error !== undefined && chunk.error !== null) {
      throw streamFailure({ head: currentHead(), error: chunk, apiKey });
    }
    nameRequest(chunk);
    readUsage(chunk.usageMetadata);
    const candidate = findAlternative(chunk.candidates);
    if (candidate !== null) readCandidate(candidate);
    else readFeedback(chunk.promptFeedback);
  }

  /** Every chunk has counts, and each stands for all before it: they are told once for all that the network brought together. */
  function readUsage(metadata: unknown): void {
    if (isRecord(metadata) && decodeUsage(metadata) !== null) untold = metadata;
  }

  /** A running total of this answer; every answer of a round is billed, and one that breaks off too. */
  function tellUsage(): void {
    if (untold === null) return;
    const counted = decodeUsage(typeof untold === "string" ? parseJson(untold) : untold);
    untold = null;
    if (counted === null) return;
    usage = usageBefore === null ? counted : sumUsage(usageBefore, counted);
    parts.push({ type: "usage", usage });
  }

  /** The provider names its requests in the chunks, and not in a header. */
  function nameRequest(chunk: JsonRecord): void {
    const named = currentHead();
    if (named.requestId !== null) return;
    const requestId = readText(chunk.responseId);
    if (requestId !== null) head = { ...named, requestId: requestId.slice(0, 200) };
  }

  /** The prompt itself was blocked: there is no candidate. */
  function readFeedback(feedback: unknown): void {
    if (!isRecord(feedback) || readText(feedback.blockReason) === null) return;
    ending = "declined";
    progress = "finished";
  }

  function readCandidate(candidate: JsonRecord): void {
    const wireParts: unknown = isRecord(candidate.content) ? candidate.content.parts : undefined;
    if (Array.isArray(wireParts)) for (const part of wireParts) if (isRecord(part)) readPart(part);
    // Of a chunk in the midst it would be a checkpoint: a broken connection is not resumed (docs/wire.md, rule 14).
    token = readText(candidate.continuationToken) ?? token;
    const reason = readText(candidate.finishReason);
    if (reason === null) return;
    ending = endingOf(reason);
    if (ending === "broken") throw fail(`The model's answer cannot be used: it ended for ${spell(reason)}.`);
    progress = "finished";
  }

  function readPart(part: JsonRecord): void {
    const { text, functionCall } = part;
    if (isRecord(functionCall)) {
      content.push(part);
      readCall(part, functionCall);
      return;
    }
    // An empty part without a signature says nothing, and sent back it is an error.
    if (text === "" && part.thoughtSignature === undefined) return;
    content.push(part);
    if (typeof text !== "string") return;
    if (part.thought === true) readThought(text, part);
    else if (text !== "") readAnswer(text, part);
  }

  function readAnswer(text: string, part: JsonRecord): void {
    if (!hasOutput) beginOutput(part);
    outputCharacters += countCharacters(text);
    const clean = cleaner.clean(text);
    if (clean !== "") parts.push({ type: "text", text: clean });
  }

  function readThought(text: string, part: JsonRecord): void {
    thoughts += text;
    thoughtCharacters += countCharacters(text);
    thoughtSignature = readText(part.thoughtSignature) ?? thoughtSignature;
  }

  function readCall(part: JsonRecord, functionCall: JsonRecord): void {
    const name = readText(functionCall.name);
    if (name === null) throw fail("The provider sent a tool call without a name.");
    if (name.includes("\0")) throw unreadable();
    // Thoughts between text and calls stand between them; between two texts they wait, so as not to split a message.
    closeText();
    beginOutput(part);
    const index = callIds.length;
    const callId = nameCall(readText(functionCall.id));
    callIds.push(callId);
    const args = isRecord(functionCall.args) ? JSON.stringify(functionCall.args) : "{}";
    outputCharacters += countCharacters(name) + countCharacters(args);
    parts.push(
      { type: "call_started", index, callId, name: options.originalToolName(name).toWellFormed() },
      { type: "call_arguments", index, delta: args },
      { type: "call_finished", index },
    );
  }

  /** The provider's id, unless it has none or a call of this prompt or answer has the same: the service finds calls by it. */
  function nameCall(id: string | null): string {
    takenIds ??= takenCallIds(prompt);
    const isFree = id !== null && !takenIds.has(id) && !id.includes("\0") && id.isWellFormed();
    const callId = isFree ? id : options.mintCallId();
    takenIds.add(callId);
    return callId;
  }

  /** What was thought so far becomes an item; `next` is the part that ended the thoughts and mostly carries their signature. */
  function beginOutput(next: JsonRecord | null): void {
    hasOutput = true;
    if (thoughts === "") return;
    if (thoughts.includes("\0")) throw unreadable();
    const encryptedContent = thoughtSignature ?? readText(next?.thoughtSignature);
    parts.push({ type: "reasoning", summary: [thoughts.toWellFormed()], encryptedContent });
    thoughts = "";
    thoughtSignature = null;
  }

  /** Half of a character that never came whole. */
  function closeText(): void {
    const text = cleaner.end();
    if (text !== "") parts.push({ type: "text", text });
  }

  /** Whether the round goes on with a further answer; when it may not, it was cut. */
  function mayContinue(): boolean {
    // The token that was asked with would bring the same again.
    if (ending !== "continued" || token === null || token === continuationToken) return false;
    return answers < ANSWERS_MAX && (usage?.output_tokens ?? 0) < prompt.maxOutputTokens;
  }

  /** The last word has been said: closes what is open. Called once a round. */
  function finish(): void {
    progress = "over";
    closeText();
    beginOutput(null);
    if (callIds.length > 0) parts.push({ type: "state", state: createRoundState(content, callIds) });
    if (ending === "declined") parts.push({ type: "refusal", text: "" });
    if (usage === null) parts.push(...tellEstimate(prompt, { output: outputCharacters, reasoning: thoughtCharacters }));
    const isCut = ending === "cut" || ending === "continued";
    parts.push({ type: "finished", incompleteReason: isCut ? "max_output_tokens" : null });
  }

  const reader: AnswerReader = {
    event,
    document,
    flush() {
      tellUsage();
      if (parts.length === 0) return;
      const ready = parts;
      parts = [];
      receive(ready);
    },
    progress: () => progress,
    end() {
      if (progress === "over") return;
      if (progress === "running") throw fail("The provider's answer ended before the model did.");
      tellUsage();
      if (mayContinue()) {
        progress = "over";
        continuationToken = token;
        return;
      }
      continuationToken = null;
      finish();
    },
  };

  return {
    read(next) {
      head = next;
      answers++;
      progress = "running";
      ending = null;
      token = null;
      usageBefore = usage;
      return reader;
    },
    continuationToken: () => continuationToken,
  };
}

/** The value of a chunk or a document; undefined when it is no JSON. Of a call's arguments the digits of numbers count. */
function parseAnswer(text: string): unknown {
  return text.includes('"functionCall"') ? parseExactly(text) : parseJson(text);
}

/** A word of the wire as it may stand in a message. */
function spell(reason: string): string {
  return /^\w{1,80}$/.test(reason) ? reason : "a reason unknown here";
}
