// The chunks of a chat completion become parts. Tolerant: every server bends this wire in its own way.
//
//   reasoning… ──first text, refusal or call──▶ one reasoning part, then text and calls as they come
//   finish_reason ──▶ noted; usage may follow ──[DONE], or the end of the body──▶ calls finished, usage, `finished`
import { countCharacters } from "../../contract/characters.ts";
import type { Usage } from "../../contract/resources.ts";
import type { Prompt } from "../../core/turn/prompt.ts";
import type { ProviderPart } from "../../ports/provider.ts";
import { parseExactly } from "../arguments.ts";
import { takenCallIds } from "../calls.ts";
import { tellEstimate } from "../estimate.ts";
import { findAlternative, isRecord, type JsonRecord, parseJson } from "../json-shape.ts";
import { createTextCleaner } from "../text-cleaner.ts";
import type { AnswerHead, AnswerProgress, AnswerReader } from "../exchange.ts";
import { answerFailure } from "../failures.ts";
import { createCallDecoder } from "./calls.ts";
import { streamFailure } from "./failures.ts";
import { readPlainChunk } from "./plain-chunk.ts";
import { createReasoningState, REASONING_FIELDS, type ReasoningField } from "./reasoning-state.ts";
import { decodeUsage } from "./usage.ts";

export interface DecoderOptions {
  readonly head: AnswerHead;
  readonly apiKey: string | null;
  /** For the estimate of an input that the server does not count, and for the call_ids that are taken. */
  readonly prompt: Prompt;
  receive(parts: readonly ProviderPart[]): void;
  mintCallId(): string;
  /** The tool's own name for one of the wire. */
  originalToolName(name: string): string;
}

/** Why a model ended, where that is an end before its time. */
const INCOMPLETE_REASONS: ReadonlyMap<string, string> = new Map([
  ["length", "max_output_tokens"],
  ["max_tokens", "max_output_tokens"],
  ["model_length", "max_output_tokens"],
  ["model_context_window_exceeded", "max_output_tokens"],
]);

/** What held back the rest of an answer; `sensitive` is GLM's word for it. */
const DECLINING_REASONS: ReadonlySet<string> = new Set(["content_filter", "sensitive"]);

/** Arguments that come as the object itself: the digits of its numbers count. */
const OBJECT_ARGUMENTS = /"arguments":\s*\{/;

/** Reads one answer; throws a ProviderFailure where it is none. */
export function createDecoder(options: DecoderOptions): AnswerReader {
  const { head, apiKey, prompt, receive } = options;
  let parts: ProviderPart[] = [];
  let progress: AnswerProgress = "running";
  let sawChoice = false;
  let hasOutput = false;
  let declined = false;
  let finishReason: string | null = null;
  let reasoning = "";
  let reasoningField: ReasoningField | null = null;
  let lastReasoning = "";
  let usage: Usage | null = null;
  let outputCharacters = 0;
  let reasoningCharacters = 0;

  const unreadable = () => answerFailure(head, "The provider sent text that cannot be stored.");
  const contentCleaner = createTextCleaner(unreadable);
  const refusalCleaner = createTextCleaner(unreadable);
  const calls = createCallDecoder({
    takenIds: () => takenCallIds(prompt),
    mintCallId: options.mintCallId,
    originalToolName: options.originalToolName,
    unreadable,
    fail: (message) => answerFailure(head, message),
    push: (part) => parts.push(part),
  });

  function event(data: string, name: string | undefined): void {
    if (progress === "over") return;
    const plain = name === undefined ? readPlainChunk(data) : null;
    if (plain !== null) {
      sawChoice = true;
      if (plain !== "") pushText(plain);
      return;
    }
    if (data === "[DONE]") {
      // Only an answer that said something can be done.
      if (!sawChoice) throw answerFailure(head, "The provider ended its answer before it began.");
      finish();
      return;
    }
    const chunk = parseAnswer(data);
    if (chunk === undefined) {
      chunkOfLines(data);
      return;
    }
    if (name === "error") throw streamFailure({ head, error: chunk, apiKey });
    readChunk(chunk);
  }

  /** Servers that end an event with one line break instead of two: each line is a chunk. */
  function chunkOfLines(data: string): void {
    const lines = data.split("\n");
    if (lines.length === 1) throw answerFailure(head, "The provider sent a chunk that is no JSON.");
    for (const line of lines) if (line.trim() !== "") event(line.trim(), undefined);
  }

  function readChunk(chunk: unknown): void {
    if (!isRecord(chunk)) throw answerFailure(head, "The provider sent a chunk that is no object.");
    if (chunk.object === "error" || (chunk.error !== undefined && chunk.error !== null)) {
      throw streamFailure({ head, error: chunk, apiKey });
    }
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
    if (decoded === null) return;
    usage = decoded;
    parts.push({ type: "usage", usage });
  }

  function readChoice(choice: JsonRecord): void {
    sawChoice = true;
    const delta = choice.delta ?? choice.message;
    if (isRecord(delta)) readDelta(delta);
    const reason = choice.finish_reason;
    if (typeof reason === "string" && reason !== "") readFinishReason(reason, choice);
  }

  function readDelta(delta: JsonRecord): void {
    const { content } = delta;
    if (typeof content === "string") {
      if (content !== "") pushText(content);
    } else if (content !== null && content !== undefined) readContentParts(content);
    for (const field of REASONING_FIELDS) {
      const text = delta[field];
      if (typeof text === "string" && text !== "") {
        pushReasoning(text, field);
        break;
      }
    }
    const { refusal } = delta;
    if (typeof refusal === "string" && refusal !== "") pushRefusal(refusal);
    const toolCalls = delta.tool_calls;
    if (Array.isArray(toolCalls)) for (const call of toolCalls) pushCall(call);
    else if (isRecord(toolCalls)) pushCall(toolCalls);
    // The word of the wire before tools.
    if (isRecord(delta.function_call)) pushCall({ index: 0, function: delta.function_call });
  }

  /** Content as a list of parts: texts, and what some servers call thinking. */
  function readContentParts(content: unknown): void {
    for (const part of Array.isArray(content) ? content : [content]) {
      if (!isRecord(part)) continue;
      if (typeof part.text === "string" && part.text !== "") pushText(part.text);
      const { thinking } = part;
      const thoughts: readonly unknown[] = Array.isArray(thinking) ? thinking : [thinking];
      for (const thought of thoughts) {
        const text: unknown = isRecord(thought) ? thought.text : thought;
        if (typeof text === "string" && text !== "") pushReasoning(text, "reasoning_content");
      }
    }
  }

  function pushText(content: string): void {
    if (!hasOutput) beginOutput();
    outputCharacters += countCharacters(content);
    const text = contentCleaner.clean(content);
    if (text !== "") parts.push({ type: "text", text });
  }

  function pushRefusal(refusal: string): void {
    if (!hasOutput) beginOutput();
    outputCharacters += countCharacters(refusal);
    const text = refusalCleaner.clean(refusal);
    if (text === "") return;
    declined = true;
    parts.push({ type: "refusal", text });
  }

  function pushCall(call: unknown): void {
    // Reasoning between text and calls stands between them; between two texts it waits, so as not to split a message.
    closeText();
    beginOutput();
    outputCharacters += calls.push(call);
  }

  function pushReasoning(text: string, field: ReasoningField): void {
    reasoningCharacters += countCharacters(text);
    reasoning += text;
    reasoningField ??= field;
  }

  function beginOutput(): void {
    hasOutput = true;
    if (reasoning === "") return;
    if (reasoning.includes("\0")) throw unreadable();
    parts.push({ type: "reasoning", summary: [reasoning.toWellFormed()], encryptedContent: null });
    lastReasoning += reasoning;
    reasoning = "";
  }

  function readFinishReason(reason: string, choice: JsonRecord): void {
    if (reason === "error") throw streamFailure({ head, error: choice, apiKey });
    // vLLM's word for a request that was aborted at the server.
    if (reason === "abort") throw answerFailure(head, "The provider canceled the request.", "canceled");
    // GLM's word for a server that lost its model.
    if (reason === "network_error") {
      throw answerFailure(head, "The provider did not complete the request.", "provider_unavailable");
    }
    // DeepSeek's word for a server without room.
    if (reason === "insufficient_system_resource") {
      throw answerFailure(head, "The provider is overloaded.", "provider_overloaded");
    }
    finishReason = reason;
    progress = "finished";
  }

  function document(text: string): void {
    const value = parseAnswer(text.replace(/^\uFEFF/, ""));
    if (!isRecord(value)) throw answerFailure(head, "The provider's answer is neither an event stream nor JSON.");
    readChunk(value);
    if (!sawChoice) throw answerFailure(head, "The provider's answer holds no choice.");
    finish();
  }

  /** The last word has been said: closes what is open. Called once. */
  function finish(): void {
    progress = "over";
    closeText();
    beginOutput();
    const declines = finishReason !== null && DECLINING_REASONS.has(finishReason);
    let incompleteReason = INCOMPLETE_REASONS.get(finishReason ?? "") ?? null;
    outputCharacters += calls.finish(declines || incompleteReason !== null);
    if (calls.count() > 0 && lastReasoning !== "" && reasoningField !== null) {
      parts.push({ type: "state", state: createReasoningState(reasoningField, lastReasoning) });
    }
    if (declines && !declined) parts.push({ type: "refusal", text: "" });
    // Half a call can't be answered, so the turn can't be complete with it.
    if (declines && !calls.areFinished()) incompleteReason = "content_filter";
    if (usage === null)
      parts.push(...tellEstimate(prompt, { output: outputCharacters, reasoning: reasoningCharacters }));
    parts.push({ type: "finished", incompleteReason });
  }

  /** Halves of characters that never came whole. */
  function closeText(): void {
    const text = contentCleaner.end();
    if (text !== "") parts.push({ type: "text", text });
    const refusal = refusalCleaner.end();
    if (refusal !== "") parts.push({ type: "refusal", text: refusal });
  }

  return {
    event,
    document,
    flush() {
      if (parts.length === 0) return;
      const ready = parts;
      parts = [];
      receive(ready);
    },
    progress: () => progress,
    end() {
      if (progress === "over") return;
      if (progress === "running") throw answerFailure(head, "The provider's answer ended before the model did.");
      finish();
    },
  };
}

/** The value of a chunk or a document; undefined when it is no JSON. */
function parseAnswer(text: string): unknown {
  return OBJECT_ARGUMENTS.test(text) ? parseExactly(text) : parseJson(text);
}
