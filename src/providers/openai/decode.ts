// Decodes the events of a response into parts. Unknown and redundant events are skipped.
//
//   deltas, items ──▶ parts as they arrive
//   response.completed, response.incomplete ──▶ parts not sent as deltas, usage, state, `finished`
//   response.failed, error ──▶ usage, then an UpstreamError
import type { CatalogModel } from "../../core/models/catalog.ts";
import { argumentsText } from "../wire/arguments.ts";
import { type DecodedRound, RoundDecoding } from "../wire/round-decoding.ts";
import type { HttpHead, ResponseReader } from "../wire/exchange.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { isBareError, readIndex, readText } from "../wire/json-shape.ts";
import { END_MARK } from "../wire/response-body.ts";
import { errorInStream } from "./failures.ts";
import { namesOfEvent } from "./identities.ts";
import type { TokenCounts } from "../wire/token-counts.ts";
import type { PartText } from "./messages.ts";
import { Output } from "./output.ts";
import { type PlainDelta, readPlainDelta } from "./plain-delta.ts";
import type { Thought } from "./reasoning.ts";
import { createRoundState } from "./round-state.ts";
import { decodeUsage } from "./usage.ts";

/** A round with one response. */
export interface DecoderOptions extends DecodedRound {
  readonly head: HttpHead;
  readonly model: CatalogModel;
}

const TEXT_DELTA = "response.output_text.delta";

/** Arguments that are no string: their numbers must be parsed exactly. */
const OTHER_ARGUMENTS = /"(?:arguments|delta)":\s*[^"\s]/;

/** Redundant events, by name. They are not parsed: the first three repeat all instructions and tools. */
const SKIPPED_EVENTS: ReadonlySet<string> = new Set([
  "response.created",
  "response.in_progress",
  "response.queued",
  "response.content_part.added",
  "response.reasoning_summary_part.added",
]);

/** Decodes one response; throws an UpstreamError for an invalid one. */
export function createDecoder(options: DecoderOptions): ResponseReader {
  const decoding = new RoundDecoding(options, options.head);
  const output = new Output(decoding);

  function event(data: string, name: string | undefined): void {
    if (decoding.progress === "over" || data === END_MARK) return;
    let plain: PlainDelta | null = null;
    if (name === TEXT_DELTA) {
      plain = readPlainDelta(data);
      if (plain !== null && output.messages.continueText(plain)) return;
    } else if (name !== undefined && SKIPPED_EVENTS.has(name)) return;
    const value = decoding.parseEvent(data, OTHER_ARGUMENTS.test(data));
    if (value !== null) readEvent(value, name);
    // The next one is probably at the same place.
    if (plain !== null) output.messages.expect(plain.place);
  }

  function readEvent(value: JsonObject, name: string | undefined): void {
    const type = value.type ?? name;
    switch (type) {
      case TEXT_DELTA:
        return output.messages.addText("text", partText(value, value.delta));
      case "response.refusal.delta":
        return output.messages.addText("refusal", partText(value, value.delta));
      case "response.output_text.done":
        return output.messages.endText("text", partText(value, value.text));
      case "response.refusal.done":
        return output.messages.endText("refusal", partText(value, value.refusal));
      case "response.content_part.done":
        return endPart(value);
      case "response.function_call_arguments.delta":
        return output.calls.addArguments(namesOfEvent(value), argumentsText(value.delta));
      case "response.function_call_arguments.done":
        return output.calls.endArguments(namesOfEvent(value), argumentsText(value.arguments));
      case "response.reasoning_text.delta":
        return output.reasoning.think(thought(value, "content", value.delta));
      case "response.reasoning_text.done":
        return output.reasoning.replaceThought(thought(value, "content", value.text));
      case "response.reasoning_summary_text.delta":
        return output.reasoning.think(thought(value, "summary", value.delta));
      case "response.reasoning_summary_text.done":
        return output.reasoning.replaceThought(thought(value, "summary", value.text));
      case "response.output_item.added":
        return output.begin(value);
      case "response.output_item.done":
        return output.end(value);
      case "response.output_text.annotation.added":
        return output.messages.addAnnotation(namesOfEvent(value), readIndex(value.content_index), value.annotation);
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
        return readResponse(isJsonObject(value.response) ? value.response : {}, type);
      case "error":
        throw errorInStream(decoding.head, value);
      default:
        // Some servers end a stream with a bare error object.
        if (value.type === undefined && isBareError(value)) throw errorInStream(decoding.head, value);
    }
  }

  function endPart(value: JsonObject): void {
    const part = isJsonObject(value.part) ? value.part : {};
    if (part.type === "refusal") output.messages.endText("refusal", partText(value, part.refusal));
    else if (part.type === "output_text") output.messages.endText("text", partText(value, part.text));
    else if (part.type === "reasoning_text") output.reasoning.replaceThought(thought(value, "content", part.text));
  }

  /** Reads the final response, of an event of that type if there is one. */
  function readResponse(response: JsonObject, type: unknown): void {
    const counts = decodeUsage(response.usage);
    const reason = isJsonObject(response.incomplete_details) ? readText(response.incomplete_details.reason) : null;
    switch (
      endingOf([String(type).slice("response.".length), response.status, reason === null ? null : "incomplete"])
    ) {
      case "completed":
        return finish(response, counts, null);
      case "incomplete":
        return finish(response, counts, readIncompleteReason(reason));
      case "cancelled":
        throw decoding.fail("The provider canceled the request.", "canceled");
      case "failed":
        if (counts !== null) decoding.count(counts);
        throw errorInStream(decoding.head, response);
      default:
        throw decoding.fail("The provider's reply contains no response that has ended.");
    }
  }

  /** One response object, from servers that do not stream. */
  function document(text: string): void {
    const value = decoding.parse(text, OTHER_ARGUMENTS.test(text));
    if (!isJsonObject(value)) throw decoding.fail("The provider's response is neither an event stream nor JSON.");
    const isResponse = typeof value.status === "string";
    if (!isResponse && isBareError(value)) throw errorInStream(decoding.head, value);
    readResponse(value, null);
  }

  /** Emits the parts not sent yet. Called once. */
  function finish(response: JsonObject, counts: TokenCounts | null, incompleteReason: string | null): void {
    decoding.progress = "over";
    const isCut = output.finish(response.output, incompleteReason !== null);
    if (counts !== null) decoding.count(counts);
    // Whole calls of an incomplete response can be answered too.
    const round = output.round();
    if (round.some((item) => item.type === "function_call") && !output.messages.isSplit) {
      decoding.push({ type: "state", state: createRoundState(options.model.upstreamModel, round) });
    }
    decoding.finish(incompleteReason ?? (isCut ? "max_output_tokens" : null));
  }

  return decoding.reader({ event, document });
}

function partText(event: JsonObject, text: unknown): PartText {
  return { ...namesOfEvent(event), contentIndex: readIndex(event.content_index), text: readText(text) ?? "" };
}

function thought(event: JsonObject, field: Thought["field"], text: unknown): Thought {
  const place = readIndex(field === "summary" ? event.summary_index : event.content_index);
  return { ...namesOfEvent(event), field, place, text: readText(text) ?? "" };
}

/** How a response ends; later ones are worse. */
const ENDINGS = ["completed", "incomplete", "cancelled", "failed"] as const;

/** The worst of these endings, since some servers send every response as `response.completed`; undefined without any. */
function endingOf(words: readonly unknown[]): (typeof ENDINGS)[number] | undefined {
  return ENDINGS.findLast((ending) => words.includes(ending));
}

/** `max_output_tokens`, `content_filter`, or a reason added later. */
function readIncompleteReason(reason: string | null): string {
  return reason !== null && /^\w{1,64}$/.test(reason) ? reason : "max_output_tokens";
}
