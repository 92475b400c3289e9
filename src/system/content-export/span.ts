// A response as a span in the JSON of OTLP (opentelemetry.io/docs/specs/otlp): the client span of its provider calls,
// with content.
import type { Attributes } from "@opentelemetry/api";
import type { SpokenResponse } from "../../ports/content-export.ts";
import { isError, requestAttributes, responseAttributes } from "../traces/response-attributes.ts";
import { writeMessages } from "./messages.ts";

/** Of OTLP. */
const SPAN_KIND_CLIENT = 3;
const STATUS_UNSET = 0;
const STATUS_ERROR = 2;

export interface SpanIds {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
}

/**
 * The span of a response, JSON text. Content takes up to `bytesMax` bytes of it before its quotes and line ends are
 * escaped.
 */
export function encodeSpan(response: SpokenResponse, providerName: string, ids: SpanIds, bytesMax: number): string {
  const finishReason = finishReasonOf(response);
  const { instructions, input, output, omitted, isCut } = writeMessages(response, finishReason, bytesMax);
  const attributes: Attributes = {
    ...requestAttributes(response.start, providerName),
    ...responseAttributes(response.report),
    "gen_ai.response.finish_reasons": [finishReason],
    "turngate.organization.id": response.start.organizationId,
    // As JSON: not every collector takes structured attributes of spans.
    ...(instructions === null ? {} : { "gen_ai.system_instructions": JSON.stringify(instructions) }),
    "gen_ai.input.messages": JSON.stringify(input),
    "gen_ai.output.messages": JSON.stringify(output),
    ...(isCut ? { "turngate.content.cut": true, "turngate.content.omitted_entries": omitted } : {}),
  };
  return JSON.stringify({
    ...ids,
    name: `chat ${response.start.upstreamModel}`,
    kind: SPAN_KIND_CLIENT,
    startTimeUnixNano: nanosecondsOf(response.beganMs),
    endTimeUnixNano: nanosecondsOf(Math.max(response.beganMs, response.endedMs)),
    attributes: encodeAttributes(attributes),
    status: { code: isError(response.report) ? STATUS_ERROR : STATUS_UNSET },
  });
}

/** The body of an export of spans that are JSON already. */
export function encodeExport(resource: Attributes, spans: readonly Buffer[]): Buffer<ArrayBuffer> {
  const head = JSON.stringify({ attributes: encodeAttributes(resource) });
  const separated = spans.flatMap((span, at) => (at === 0 ? [span] : [Buffer.from(","), span]));
  return Buffer.concat([
    Buffer.from(`{"resourceSpans":[{"resource":${head},"scopeSpans":[{"scope":{"name":"turngate"},"spans":[`),
    ...separated,
    Buffer.from("]}]}]}"),
  ]);
}

/** By the conventions a generation that was cancelled has ended abnormally. */
function finishReasonOf({ report, output }: SpokenResponse): string {
  if (report.incompleteReason !== null) {
    return report.incompleteReason === "max_output_tokens" ? "length" : report.incompleteReason;
  }
  if (report.status !== "completed") return "error";
  return output.some(({ type }) => type === "function_call") ? "tool_call" : "stop";
}

function nanosecondsOf(milliseconds: number): string {
  return `${Math.round(milliseconds)}000000`;
}

function encodeAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: encodeValue(value) }],
  );
}

function encodeValue(value: unknown): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: Array.isArray(value) ? value.map(encodeValue) : [] } };
}
