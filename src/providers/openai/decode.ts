// Decodes the events of a response into parts. Unknown and redundant events are skipped.
//
//   deltas, items ──▶ parts as they arrive
//   response.completed, response.incomplete ──▶ parts not sent as deltas, usage, state, `finished`
//   response.failed, error ──▶ usage, then an UpstreamError
import type { Usage } from "../../contract/resources.ts";
import type { CatalogModel } from "../../core/models/catalog.ts";
import { type DecodedRound, RoundDecoding } from "../wire/round-decoding.ts";
import type { ResponseHead, ResponseReader } from "../wire/exchange.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";
import { readText } from "../wire/json-shape.ts";
import { errorInStream } from "./failures.ts";
import { Output } from "./output.ts";
import { readPlainDelta } from "./plain-delta.ts";
import { createRoundState } from "./round-state.ts";
import { decodeUsage } from "./usage.ts";

/** A round with one response. */
export interface DecoderOptions extends DecodedRound {
  readonly head: ResponseHead;
  readonly model: CatalogModel;
}

const TEXT_DELTA = "response.output_text.delta";

/** Redundant events, by name. They are not parsed: the first three repeat all instructions and tools. */
const SKIPPED_EVENTS: ReadonlySet<string> = new Set([
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

/** Decodes one response; throws an UpstreamError for an invalid one. */
export function createDecoder(options: DecoderOptions): ResponseReader {
  const decoding = new RoundDecoding(options, options.head);
  const output = new Output(decoding);

  function event(data: string, name: string | undefined): void {
    if (decoding.progress === "over" || data === "[DONE]") return;
    if (name === TEXT_DELTA) {
      const plain = readPlainDelta(data);
      if (plain !== null) return output.messages.addText("text", plain.outputIndex, plain.contentIndex, plain.text);
    } else if (name !== undefined && SKIPPED_EVENTS.has(name)) return;
    readEvent(decoding.parseEvent(data), name);
  }

  function readEvent(value: JsonObject, name: string | undefined): void {
    const { output_index: index, content_index: contentIndex, delta } = value;
    const type = value.type ?? name;
    switch (type) {
      case TEXT_DELTA:
        if (typeof delta === "string") output.messages.addText("text", toIndex(index), toIndex(contentIndex), delta);
        return;
      case "response.function_call_arguments.delta":
        if (typeof delta === "string") output.calls.addArguments(toIndex(index), delta);
        return;
      case "response.refusal.delta":
        if (typeof delta === "string") output.messages.addText("refusal", toIndex(index), toIndex(contentIndex), delta);
        return;
      case "response.output_item.added":
        return output.begin(toIndex(index), value.item);
      case "response.output_item.done":
        return output.end(toIndex(index), value.item);
      case "response.output_text.annotation.added":
        return output.messages.addAnnotation(toIndex(index), toIndex(contentIndex), value.annotation);
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
        // The event type decides, not the status inside.
        return readResponse(isJsonObject(value.response) ? value.response : {}, type);
      case "error":
        throw errorInStream(decoding.head, value);
      default:
        // Some servers end a stream with a bare error object.
        if (value.type === undefined && isJsonObject(value.error)) throw errorInStream(decoding.head, value);
    }
  }

  /** Reads the final response. `how` is the event type, or the status with the same prefix. */
  function readResponse(response: JsonObject, how: unknown): void {
    const usage = decodeUsage(response.usage);
    switch (how) {
      case "response.completed":
        return finish(response, usage, null);
      case "response.incomplete":
        return finish(response, usage, readIncompleteReason(response.incomplete_details));
      case "response.cancelled":
        throw decoding.fail("The provider canceled the request.", "canceled");
      case "response.failed":
        if (usage !== null) decoding.report(usage);
        throw errorInStream(decoding.head, response);
      default:
        throw decoding.fail("The provider's reply contains no response that has ended.");
    }
  }

  /** One response object, from servers that do not stream. */
  function document(text: string): void {
    const value = parseJson(text);
    if (!isJsonObject(value)) throw decoding.fail("The provider's response is neither an event stream nor JSON.");
    const isResponse = typeof value.status === "string";
    if (!isResponse && isJsonObject(value.error)) throw errorInStream(decoding.head, value);
    readResponse(value, `response.${String(value.status)}`);
  }

  /** Emits the parts not sent yet. Called once. */
  function finish(response: JsonObject, usage: Usage | null, incompleteReason: string | null): void {
    decoding.progress = "over";
    output.finish(response.output, incompleteReason !== null);
    if (usage !== null) decoding.report(usage);
    // Whole calls of an incomplete response can be answered too.
    const round = output.round();
    if (round.some((item) => item.type === "function_call") && !output.messages.isSplit) {
      decoding.push({ type: "state", state: createRoundState(options.model.upstreamModel, round) });
    }
    decoding.finish(incompleteReason);
  }

  return decoding.reader({ event, document });
}

/** Servers that omit indexes send one item with one part. */
function toIndex(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** `max_output_tokens`, `content_filter`, or a reason added later. */
function readIncompleteReason(details: unknown): string {
  const reason = isJsonObject(details) ? readText(details.reason) : null;
  return reason !== null && /^\w{1,64}$/.test(reason) ? reason : "max_output_tokens";
}
