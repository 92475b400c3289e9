// The events of a response become parts. Events that are not known, or say what others said before, are passed over.
//
//   deltas, items ──▶ parts as they come
//   response.completed, response.incomplete ──▶ what was missing, usage, state, `finished`
//   response.failed, error ──▶ usage, then a ProviderFailure
import type { Usage } from "../../contract/resources.ts";
import type { CatalogModel } from "../../core/catalog.ts";
import type { Prompt } from "../../core/turn/prompt.ts";
import type { ProviderPart } from "../../ports/provider.ts";
import { takenCallIds } from "../calls.ts";
import { tellEstimate } from "../estimate.ts";
import type { AnswerHead, AnswerProgress, AnswerReader } from "../exchange.ts";
import { answerFailure } from "../failures.ts";
import { isRecord, type JsonRecord, parseJson, readText } from "../json-shape.ts";
import { streamFailure } from "./failures.ts";
import { createOutput } from "./output.ts";
import { readPlainDelta } from "./plain-delta.ts";
import { createRoundState } from "./round-state.ts";
import { decodeUsage } from "./usage.ts";

export interface DecoderOptions {
  readonly head: AnswerHead;
  readonly apiKey: string | null;
  readonly model: CatalogModel;
  /** For the estimate of an input that the server does not count, and for the call_ids that are taken. */
  readonly prompt: Prompt;
  mintCallId(): string;
  /** The tool's own name for one of the wire. */
  originalToolName(name: string): string;
  receive(parts: readonly ProviderPart[]): void;
}

const TEXT_DELTA = "response.output_text.delta";

/** Events that say nothing new, by name: they are not even parsed. The first three repeat all instructions and tools. */
const PASSED_OVER: ReadonlySet<string> = new Set([
  "response.created",
  "response.in_progress",
  "response.queued",
  "response.content_part.added",
  "response.content_part.done",
  "response.output_text.done",
  "response.refusal.done",
  "response.function_call_arguments.done",
  "response.reasoning_summary_part.added",
  "response.reasoning_summary_part.done",
  "response.reasoning_summary_text.delta",
  "response.reasoning_summary_text.done",
  "response.reasoning_text.delta",
  "response.reasoning_text.done",
  "keepalive",
]);

/** Reads one answer; throws a ProviderFailure where it is none. */
export function createDecoder(options: DecoderOptions): AnswerReader {
  const { head, apiKey, model, prompt, receive } = options;
  let parts: ProviderPart[] = [];
  let progress: AnswerProgress = "running";

  const output = createOutput({
    takenIds: () => takenCallIds(prompt),
    mintCallId: options.mintCallId,
    originalToolName: options.originalToolName,
    unreadable: () => answerFailure(head, "The provider sent text that cannot be stored."),
    fail: (message) => answerFailure(head, message),
    push: (part) => parts.push(part),
  });

  function event(data: string, name: string | undefined): void {
    if (progress === "over" || data === "[DONE]") return;
    if (name === TEXT_DELTA) {
      const plain = readPlainDelta(data);
      if (plain !== null) return output.addText("text", plain.outputIndex, plain.contentIndex, plain.text);
    } else if (name !== undefined && PASSED_OVER.has(name)) return;
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      throw answerFailure(head, "The provider sent an event that is no JSON.");
    }
    if (!isRecord(value)) throw answerFailure(head, "The provider sent an event that is no object.");
    readEvent(value, name);
  }

  function readEvent(value: JsonRecord, name: string | undefined): void {
    const { output_index: index, content_index: contentIndex, delta } = value;
    const type = value.type ?? name;
    switch (type) {
      case TEXT_DELTA:
        if (typeof delta === "string") output.addText("text", toIndex(index), toIndex(contentIndex), delta);
        return;
      case "response.function_call_arguments.delta":
        if (typeof delta === "string") output.addArguments(toIndex(index), delta);
        return;
      case "response.refusal.delta":
        if (typeof delta === "string") output.addText("refusal", toIndex(index), toIndex(contentIndex), delta);
        return;
      case "response.output_item.added":
        return output.begin(toIndex(index), value.item);
      case "response.output_item.done":
        return output.end(toIndex(index), value.item);
      case "response.output_text.annotation.added":
        return output.addAnnotation(toIndex(index), toIndex(contentIndex), value.annotation);
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
        // The event says how it ended; a status inside that says less is no reason to doubt it.
        return readResponse(isRecord(value.response) ? value.response : {}, type);
      case "error":
        throw streamFailure({ head, error: value, apiKey });
      default:
        // Servers that end a stream with a bare error object.
        if (value.type === undefined && isRecord(value.error)) throw streamFailure({ head, error: value, apiKey });
    }
  }

  /** The response in its last state; `how` is the event, or the status behind its prefix. */
  function readResponse(response: JsonRecord, how: unknown): void {
    const usage = decodeUsage(response.usage);
    switch (how) {
      case "response.completed":
        return finish(response, usage, null);
      case "response.incomplete":
        return finish(response, usage, readIncompleteReason(response.incomplete_details));
      case "response.cancelled":
        throw answerFailure(head, "The provider canceled the request.", "canceled");
      case "response.failed":
        if (usage !== null) parts.push({ type: "usage", usage });
        throw streamFailure({ head, error: response, apiKey });
      default:
        throw answerFailure(head, "The provider's answer holds no response that has ended.");
    }
  }

  /** From servers that do not stream: one response object. */
  function document(text: string): void {
    const value = parseJson(text.replace(/^\uFEFF/, ""));
    if (!isRecord(value)) throw answerFailure(head, "The provider's answer is neither an event stream nor JSON.");
    const isResponse = typeof value.status === "string";
    if (!isResponse && isRecord(value.error)) throw streamFailure({ head, error: value, apiKey });
    readResponse(value, `response.${String(value.status)}`);
  }

  /** The last word has been said: tells what is missing. Called once. */
  function finish(response: JsonRecord, usage: Usage | null, incompleteReason: string | null): void {
    progress = "over";
    output.finish(response.output, incompleteReason !== null);
    const characters = { output: output.characters(), reasoning: output.reasoningCharacters() };
    if (usage === null) parts.push(...tellEstimate(prompt, characters));
    else parts.push({ type: "usage", usage });
    // Of an answer that was cut the whole calls can be answered as well.
    const round = output.round();
    if (round.some((item) => item.type === "function_call") && !output.isSplit()) {
      parts.push({ type: "state", state: createRoundState(model.upstreamModel, round) });
    }
    parts.push({ type: "finished", incompleteReason });
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
      if (progress === "running") throw answerFailure(head, "The provider's answer ended before the model did.");
    },
  };
}

/** Servers that leave an index out have one item, with one part. */
function toIndex(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** `max_output_tokens`, `content_filter`, or whatever a later version says. */
function readIncompleteReason(details: unknown): string {
  const reason = isRecord(details) ? readText(details.reason) : null;
  return reason !== null && /^\w{1,64}$/.test(reason) ? reason : "max_output_tokens";
}
