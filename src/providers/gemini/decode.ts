// Decodes the chunks of generateContent into parts. One decoder reads a whole round, which may take several responses:
//
//   thoughts… ──first text or call──▶ one reasoning part, then text as it comes and calls whole
//   finishReason ──▶ noted; more counts may follow ──end of the body──▶ continued by a further response,
//                                                                       or calls' state, refusal, usage, `finished`
import { countCharacters } from "../../contract/characters.ts";
import { argumentsText, encodeArguments, isArgumentsObject } from "../wire/arguments.ts";
import { CallOutput } from "../wire/call-output.ts";
import { argumentsWarning, isObjectText } from "../wire/calls.ts";
import { DeferredReasoning } from "../wire/deferred-reasoning.ts";
import { type DecodedRound, RoundDecoding } from "../wire/round-decoding.ts";
import type { HttpHead, ResponseReader } from "../wire/exchange.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";
import { findAlternative, isBareError, readRequestId, readText, saysError } from "../wire/json-shape.ts";
import { mergeCounts, type TokenCounts } from "../wire/token-counts.ts";
import { TextOutput } from "../wire/text-output.ts";
import { brokenEnding, combineEndings } from "../wire/finish-words.ts";
import { END_MARK } from "../wire/response-body.ts";
import { errorInStream } from "./failures.ts";
import { type Ending, endingOf } from "./finish-reasons.ts";
import { readPlainChunk } from "./plain-chunk.ts";
import { RoundParts } from "./round-parts.ts";
import { createRoundState } from "./round-state.ts";
import { decodeUsage } from "./usage.ts";

/**
 * The most responses of one round, against a provider that continues without end. The largest output seen takes some
 * thirty.
 */
const RESPONSES_MAX = 64;

/** In the names of counts that the first chunks may have alone. */
const LEFT_OUT = ["cache", "thoughts"];

/** Decodes one round. */
export function createDecoder(round: DecodedRound) {
  const decoding = new RoundDecoding(round);

  // State of the current response.
  let ending: Ending | null = null;
  let token: string | null = null;
  /** Counts until they are reported, and the JSON of those behind them. */
  let unreported: TokenCounts | null = null;
  let newest: string | null = null;

  // State of the round.
  let responses = 0;
  let continuationToken: string | null = null;
  const content = new RoundParts(decoding);
  const callIds: string[] = [];
  let hasOutput = false;
  /** Whether the newest output is text: a refusal belongs to its message. */
  let isMessageOpen = false;
  const thoughts = new DeferredReasoning(decoding);
  let thoughtSignature: string | null = null;
  const output = new TextOutput(decoding, "text");

  function event(data: string): void {
    if (decoding.progress === "over") return;
    // The first chunk is parsed in full for the request id.
    const plain = decoding.head.requestId === null ? null : readPlainChunk(data);
    if (plain !== null) {
      readPlainUsage(plain.usage);
      readPart({ text: plain.text });
      return;
    }
    // Not part of this API; some gateways send it.
    if (data === END_MARK) return;
    const chunk = decoding.parseEvent(data, hasCall(data));
    if (chunk !== null) readChunk(chunk);
  }

  /** Reads a response without `alt=sse`: an array of chunks, or a single one if it was not streamed. */
  function document(text: string): void {
    const value = decoding.parse(text, hasCall(text));
    if (Array.isArray(value)) for (const chunk of value) readChunk(chunk);
    else if (isJsonObject(value)) readChunk(value);
    else throw decoding.fail("The provider's response is neither an event stream nor JSON.");
  }

  function readChunk(chunk: unknown): void {
    if (!isJsonObject(chunk)) throw decoding.fail("The provider sent a chunk that is not an object.");
    if (saysError(chunk.error) || (chunk.candidates === undefined && isBareError(chunk)))
      throw errorInStream(decoding.head, chunk);
    takeRequestId(chunk);
    readUsage(chunk.usageMetadata);
    const candidate = findAlternative(chunk.candidates);
    if (candidate !== null) readCandidate(candidate);
    else readFeedback(chunk.promptFeedback);
  }

  /** Every chunk has cumulative counts. They are reported once for all chunks that arrive together. */
  function readUsage(metadata: unknown): void {
    const counts = decodeUsage(metadata);
    if (counts !== null) unreported = mergeCounts(takeCounts(), counts);
  }

  /** Reads the counts of a plain chunk. Those before them are read only if it leaves some out. */
  function readPlainUsage(json: string): void {
    if (LEFT_OUT.some((name) => newest?.includes(name) === true && !json.includes(name))) unreported = takeCounts();
    newest = json;
  }

  /** Reports a running total. Every response of a round is billed, also one that breaks off. */
  function reportUsage(): void {
    const counts = takeCounts();
    if (counts !== null) decoding.count(counts);
  }

  function takeCounts(): TokenCounts | null {
    const later = newest === null ? null : decodeUsage(parseJson(newest));
    const counts = later === null ? unreported : mergeCounts(unreported, later);
    unreported = null;
    newest = null;
    return counts;
  }

  /** Takes the request id, which the provider sends in the chunks and not in a header. */
  function takeRequestId(chunk: JsonObject): void {
    const named = decoding.head;
    if (named.requestId !== null) return;
    const requestId = readRequestId(chunk.responseId, named.secrets);
    if (requestId !== null) decoding.head = { ...named, requestId };
  }

  /** Reads the feedback of a blocked prompt, which has no candidate. */
  function readFeedback(feedback: unknown): void {
    if (!isJsonObject(feedback) || readText(feedback.blockReason) === null) return;
    ending = "withheld";
    decoding.progress = "finished";
  }

  function readCandidate(candidate: JsonObject): void {
    const wireParts: unknown = isJsonObject(candidate.content) ? candidate.content.parts : undefined;
    if (Array.isArray(wireParts)) for (const part of wireParts) if (isJsonObject(part)) readPart(part);
    // In earlier chunks it is a checkpoint, which is not used: a broken connection is not resumed (docs/wire.md,
    // Provider retries).
    token = readText(candidate.continuationToken) ?? token;
    const reason = readText(candidate.finishReason);
    if (reason === null) return;
    ending = combineEndings(ending, endingOf(reason));
    if (ending === "broken") throw brokenEnding(decoding, reason);
    decoding.progress = "finished";
  }

  function readPart(part: JsonObject): void {
    const { text, functionCall } = part;
    if (isJsonObject(functionCall)) {
      readCall(part, functionCall);
      return;
    }
    // An empty part without a signature has no content, and sending it back is an error. Images are not in the
    // interface.
    if ((text === "" || isJsonObject(part.inlineData)) && part.thoughtSignature === undefined) return;
    content.add(part);
    if (typeof text !== "string") return;
    if (part.thought === true) readThought(text, part);
    else if (text !== "") {
      if (!hasOutput) beginOutput(part);
      isMessageOpen = true;
      output.add(text);
    }
  }

  function readThought(text: string, part: JsonObject): void {
    thoughts.add(text);
    decoding.reasoningCharacters += countCharacters(text);
    thoughtSignature = readText(part.thoughtSignature) ?? thoughtSignature;
  }

  function readCall(part: JsonObject, functionCall: JsonObject): void {
    // Thoughts before a call are emitted now. Thoughts between two texts wait, so as not to split a message.
    output.end();
    isMessageOpen = false;
    beginOutput(part);
    const sent = { name: readText(functionCall.name), id: readText(functionCall.id) };
    const call = new CallOutput(decoding, callIds.length, sent);
    callIds.push(call.callId);
    const { args } = functionCall;
    call.add(argumentsText(args) || "{}");
    const whole = call.end();
    const isSentAsObject = args === undefined || isArgumentsObject(args);
    if (!isSentAsObject && !isObjectText(whole)) decoding.push(argumentsWarning(call.name));
    call.finish();
    // The provider accepts only objects back.
    content.add(isSentAsObject ? part : { ...part, functionCall: { ...functionCall, args: encodeArguments(whole) } });
  }

  /** Emits the thoughts so far as an item. `next` is the part after them, which usually has their signature. */
  function beginOutput(next: JsonObject | null): void {
    hasOutput = true;
    if (thoughts.isEmpty) return;
    const signature = thoughtSignature ?? readText(next?.thoughtSignature);
    const encryptedContent = signature === null ? null : decoding.clean(signature);
    decoding.push({ type: "reasoning", summary: [decoding.clean(thoughts.take())], encryptedContent });
    thoughtSignature = null;
  }

  /** Whether the round continues with another response; if it may not, it was cut short. */
  function mayContinue(): boolean {
    // The same token would bring the same response again.
    if (ending !== "continued" || token === null || token === continuationToken) return false;
    return responses < RESPONSES_MAX && (decoding.usage?.output_tokens ?? 0) < round.prompt.maxOutputTokens;
  }

  /** Closes everything still open. Called once a round. */
  function finish(): void {
    decoding.progress = "over";
    output.end();
    const refusal = ending === "withheld" ? ({ type: "refusal", text: "" } as const) : null;
    // Before thoughts that came behind the text: they would end its message.
    if (refusal !== null && isMessageOpen) decoding.push(refusal);
    beginOutput(null);
    if (callIds.length > 0) decoding.push({ type: "state", state: createRoundState(content.all(), callIds) });
    if (refusal !== null && !isMessageOpen) decoding.push(refusal);
    const isCut = ending === "cut" || ending === "continued";
    decoding.finish(isCut ? "max_output_tokens" : null);
  }

  /** Called at the end of each response of the round: the next response continues the round, or the round ends. */
  function finishResponse(): void {
    reportUsage();
    if (mayContinue()) {
      decoding.progress = "over";
      continuationToken = token;
      return;
    }
    continuationToken = null;
    finish();
  }

  const reader = decoding.reader({
    event,
    document,
    beforeFlush: reportUsage,
    finish: finishResponse,
  });

  return {
    /** Creates the reader of the round's next response. Its methods throw an UpstreamError for a malformed one. */
    read(next: HttpHead): ResponseReader {
      decoding.begin(next);
      responses++;
      ending = null;
      token = null;
      return reader;
    },
    /** After a response: the token that requests the next one; null if the round is over. */
    continuationToken: (): string | null => continuationToken,
  };
}

/** Whether a text may have a call: numbers in its arguments keep their digits. */
function hasCall(text: string): boolean {
  return text.includes('"functionCall"');
}
