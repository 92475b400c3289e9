// Decodes the chunks of a chat completion into parts. Tolerant: servers deviate from this wire in many ways.
//
//   reasoning… ──first text, refusal or call──▶ one reasoning part, then text and calls as they arrive
//   finish_reason ──▶ noted; usage may follow ──[DONE], or the end of the body──▶ calls finished, usage, `finished`
import { countCharacters } from "../../contract/characters.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { CitationOutput, readCitation } from "../wire/citations.ts";
import { findAlternative, isBareError, saysError } from "../wire/json-shape.ts";
import { DeferredReasoning } from "../wire/deferred-reasoning.ts";
import { type DecodedRound, RoundDecoding } from "../wire/round-decoding.ts";
import { TextOutput } from "../wire/text-output.ts";
import type { HttpHead, ResponseReader } from "../wire/exchange.ts";
import { createCallDecoder } from "./calls.ts";
import { ERROR_MESSAGES, type UpstreamErrorCode } from "../wire/error-codes.ts";
import { brokenEnding, combineEndings, type Ending, endingOfWord } from "../wire/finish-words.ts";
import { END_MARK } from "../wire/response-body.ts";
import { errorInStream } from "./failures.ts";
import { readPlainChunk } from "./plain-chunk.ts";
import { LIST_FIELDS, REASONING_FIELDS, type ReasoningField, RoundState } from "./round-state.ts";
import { decodeUsage } from "./usage.ts";

/** A round with one response. */
export interface DecoderOptions extends DecodedRound {
  readonly head: HttpHead;
  /** Whether reasoning before calls is kept for the turn's next round. */
  readonly keepsReasoning: boolean;
}

/** Finish reasons that are failures of the server, of vLLM, GLM and DeepSeek. */
const FAILURES: ReadonlyMap<string, UpstreamErrorCode> = new Map([
  ["abort", "canceled"],
  ["network_error", "provider_unavailable"],
  ["insufficient_system_resource", "provider_overloaded"],
]);

/** Sent by some servers while the model has not ended. */
const NO_REASONS: ReadonlySet<string> = new Set(["", "null", "none"]);

/** Arguments sent as an object: its numbers must be parsed exactly. */
const OBJECT_ARGUMENTS = /"arguments":\s*\{/;

/** Decodes one response; throws an UpstreamError for an invalid one. */
export function createDecoder(options: DecoderOptions): ResponseReader {
  const decoding = new RoundDecoding(options, options.head);
  let sawChoice = false;
  let hasOutput = false;
  let hasText = false;
  let hasRefusal = false;
  /** Whether the newest output is text or a refusal: a further refusal belongs to its message. */
  let isMessageOpen = false;
  let finishReason: string | null = null;
  let ending: Ending | null = null;
  const reasoning = new DeferredReasoning(decoding);
  let reasoningField: ReasoningField | null = null;
  let lastReasoning = "";
  /** Whether output has come in deltas, not in a message. */
  let hasDeltas = false;

  const content = new TextOutput(decoding, "text");
  const refusal = new TextOutput(decoding, "refusal");
  const citations = new CitationOutput(decoding);
  const calls = createCallDecoder(decoding);
  const state = new RoundState(decoding);

  function event(data: string, name: string | undefined): void {
    if (decoding.progress === "over") return;
    const plain = name === undefined ? readPlainChunk(data) : null;
    if (plain !== null) {
      sawChoice = true;
      if (plain !== "") {
        hasDeltas = true;
        pushText(plain);
      }
      return;
    }
    if (data === END_MARK) {
      // Valid only after a choice.
      if (!sawChoice) throw decoding.fail("The provider ended its response before it began.");
      finish();
      return;
    }
    if (name === "error") throw errorInStream(decoding.head, decoding.parse(data));
    const lines = data.split("\n");
    if (lines.length > 1 && decoding.parse(data) === undefined) return chunkOfLines(lines);
    const chunk = decoding.parseEvent(data, OBJECT_ARGUMENTS.test(data));
    if (chunk !== null) readChunk(chunk);
  }

  /** For servers that end an event with one line break instead of two: each line is a chunk. */
  function chunkOfLines(lines: readonly string[]): void {
    for (const line of lines) if (line.trim() !== "") event(line.trim(), undefined);
  }

  function readChunk(chunk: JsonObject): void {
    if (chunk.object === "error" || saysError(chunk.error) || (chunk.choices === undefined && isBareError(chunk)))
      throw errorInStream(decoding.head, chunk);
    const choice = findAlternative(chunk.choices);
    let counted = chunk.usage;
    if (choice !== null) {
      readChoice(choice);
      counted ??= choice.usage;
    }
    if (counted !== null && counted !== undefined) readUsage(counted);
  }

  function readUsage(counted: unknown): void {
    const decoded = decodeUsage(counted);
    if (decoded !== null) decoding.count(decoded);
  }

  function readChoice(choice: JsonObject): void {
    sawChoice = true;
    const { delta, message } = choice;
    if (isJsonObject(delta)) {
      const before = decoding.outputCharacters + decoding.reasoningCharacters;
      readDelta(delta);
      hasDeltas ||= decoding.outputCharacters + decoding.reasoningCharacters > before;
    }
    if (isJsonObject(message)) readDelta(hasDeltas ? newIn(message) : message);
    if (saysError(choice.error)) throw errorInStream(decoding.head, choice);
    const reason = choice.finish_reason;
    if (typeof reason === "string" && !NO_REASONS.has(reason.trim().toLowerCase())) readFinishReason(reason, choice);
  }

  function readDelta(delta: JsonObject): void {
    // Reasoning first: a document has it beside the text.
    readReasoning(delta);
    const text = delta.content;
    if (typeof text === "string") {
      if (text !== "") pushText(text);
    } else if (text !== null && text !== undefined) readContentParts(text);
    if (typeof delta.refusal === "string" && delta.refusal !== "") pushRefusal(delta.refusal);
    if (Array.isArray(delta.annotations)) for (const annotation of delta.annotations) cite(annotation);
    const toolCalls = delta.tool_calls;
    if (Array.isArray(toolCalls)) for (const call of toolCalls) pushCall(call);
    else if (isJsonObject(toolCalls)) pushCall(toolCalls);
    // The deprecated predecessor of tool_calls.
    if (isJsonObject(delta.function_call)) pushCall({ index: 0, function: delta.function_call });
  }

  /** What a whole message behind deltas has beyond them: kinds of output that have not come, and further calls. */
  function newIn({ tool_calls: all, ...message }: JsonObject): JsonObject {
    const known = [
      ...(hasText ? ["content"] : []),
      ...(hasRefusal ? ["refusal"] : []),
      ...(calls.count() > 0 ? ["function_call"] : []),
      ...(decoding.reasoningCharacters > 0 ? REASONING_FIELDS : []),
      ...(state.hasLists() ? LIST_FIELDS : []),
    ];
    const others = Object.entries(message).filter(([field]) => !known.includes(field));
    return { ...Object.fromEntries(others), tool_calls: Array.isArray(all) ? all.slice(calls.count()) : all };
  }

  function readReasoning(delta: JsonObject): void {
    const listed = state.read(delta);
    for (const field of REASONING_FIELDS) {
      const thought = delta[field];
      if (typeof thought === "string" && thought !== "") {
        pushReasoning(thought, field);
        return;
      }
    }
    // Most servers that list thoughts also send them as text.
    if (listed !== "" && reasoningField === null) pushReasoning(listed, null);
  }

  /** Content as a list of parts: text, and `thinking` from some servers. */
  function readContentParts(parts: unknown): void {
    for (const part of Array.isArray(parts) ? parts : [parts]) {
      if (!isJsonObject(part)) continue;
      if (typeof part.text === "string" && part.text !== "") pushText(part.text);
      const { thinking } = part;
      const thoughts: readonly unknown[] = Array.isArray(thinking) ? thinking : [thinking];
      for (const thought of thoughts) {
        const text: unknown = isJsonObject(thought) ? thought.text : thought;
        if (typeof text === "string" && text !== "") pushReasoning(text, "reasoning_content");
      }
    }
  }

  function pushText(text: string): void {
    if (!hasOutput) beginOutput();
    isMessageOpen = true;
    content.add(text);
    if (hasText) return;
    hasText = true;
    if (isCitable()) citations.begin();
  }

  function pushRefusal(text: string): void {
    if (!hasOutput) beginOutput();
    if (refusal.add(text) !== "") hasRefusal = true;
  }

  function cite(annotation: unknown): void {
    const citation = readCitation(annotation);
    if (citation !== null && isCitable()) citations.add(citation);
  }

  /** Whether citations have a place in the text: a call divides it, so that their offsets say nothing. */
  function isCitable(): boolean {
    return calls.count() === 0 && !hasRefusal;
  }

  /** The refusal of a filter, which has no text; none if the model has refused itself. */
  function pushEmptyRefusal(): void {
    if (!hasRefusal) decoding.push({ type: "refusal", text: "" });
  }

  function pushCall(call: unknown): void {
    // Reasoning between text and calls is emitted between them. Between two texts it waits, so that the message is not
    // split.
    closeText();
    isMessageOpen = false;
    beginOutput();
    calls.push(call);
  }

  function pushReasoning(text: string, field: ReasoningField | null): void {
    decoding.reasoningCharacters += countCharacters(text);
    reasoning.add(text);
    reasoningField ??= field;
  }

  function beginOutput(): void {
    hasOutput = true;
    if (reasoning.isEmpty) return;
    const text = reasoning.take();
    decoding.push({ type: "reasoning", summary: [decoding.clean(text)], encryptedContent: null });
    if (options.keepsReasoning) lastReasoning += text;
  }

  function readFinishReason(reason: string, choice: JsonObject): void {
    if (reason === "error") throw errorInStream(decoding.head, choice);
    finishReason = reason;
    ending = combineEndings(ending, endingOfWord(reason));
    decoding.progress = "finished";
  }

  function document(text: string): void {
    const value = decoding.parse(text, OBJECT_ARGUMENTS.test(text));
    if (!isJsonObject(value)) throw decoding.fail("The provider's response is neither an event stream nor JSON.");
    readChunk(value);
    if (!sawChoice) throw decoding.fail("The provider's response has no choice.");
    finish();
  }

  /** Ends open parts and emits the last ones. Called once. */
  function finish(): void {
    decoding.progress = "over";
    closeText();
    // Without a reason the end mark counts as one: several servers send nothing else.
    const last = ending ?? "ended";
    const failure = FAILURES.get(finishReason ?? "");
    const isFiltered = failure === undefined && last === "filtered";
    // Before reasoning that came behind the text: it would end its message.
    if (isFiltered && isMessageOpen) pushEmptyRefusal();
    beginOutput();
    if (failure !== undefined) throw decoding.fail(ERROR_MESSAGES[failure], failure);
    if (last === "broken") throw brokenEnding(decoding, finishReason);
    let incompleteReason = last === "cut" ? "max_output_tokens" : null;
    calls.finish(isFiltered || incompleteReason !== null);
    if (calls.count() > 0) keepState();
    if (isFiltered && !isMessageOpen) pushEmptyRefusal();
    // A truncated call cannot be answered, so the turn cannot complete with it.
    if (isFiltered && !calls.areFinished()) incompleteReason = "content_filter";
    decoding.finish(incompleteReason);
  }

  function keepState(): void {
    const isKept = options.keepsReasoning && lastReasoning !== "" && reasoningField !== null;
    const whole = state.whole(isKept ? { [reasoningField as ReasoningField]: lastReasoning } : {}, calls.returned());
    if (whole !== null) decoding.push({ type: "state", state: whole });
  }

  function closeText(): void {
    content.end();
    refusal.end();
  }

  return decoding.reader({ event, document, finish });
}
