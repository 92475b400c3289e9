// A recorded exchange without its secrets and its content, as a fixture has it.
import { parseJson } from "../../base/json.ts";
import { chunkOf, type FixtureFile } from "./fixture.ts";
import type { RecordedFields } from "./fields.ts";
import { maskBody } from "./mask-body.ts";
import { createJsonMask, draftOf, textOf } from "./mask-json.ts";
import type { Mask } from "./mask.ts";
import type { RawExchange, RawResponse } from "./tap.ts";

type Exchange = FixtureFile["exchanges"][number];

/** Headers whose values say nothing of an account or a person. */
const KEPT_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "cache-control",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "request-id",
  "retry-after",
  "retry-after-ms",
  "transfer-encoding",
  "user-agent",
  "x-amzn-errortype",
  "x-amzn-requestid",
  "x-request-id",
  "x-should-retry",
]);
const REMOVED = "(removed)";

/** Replaces the content of a JSON text. */
export function maskJsonText(text: string, fields: RecordedFields, mask: Mask): string {
  const draft = draftOf(text);
  const json = createJsonMask(mask, fields);
  json.add(draft);
  json.done();
  return textOf(draft);
}

/** The exchange as a fixture has it; `response` is the one that came. */
export function maskExchange(
  { method, path, headers, body }: RawExchange,
  response: RawResponse,
  fields: RecordedFields,
  mask: Mask,
): Exchange {
  const names = headers.filter((_, at) => at % 2 === 0);
  const sent = Object.fromEntries(names.map((name, at) => [name, headers[2 * at + 1] ?? ""]));
  return {
    request: {
      method,
      path,
      headers: maskHeaders(sent, fields.headers),
      body: parseJson(maskJsonText(body, fields, mask)),
    },
    response: {
      status: response.status,
      headers: maskHeaders(response.headers, []),
      is_whole: response.isWhole,
      chunks: maskChunks(response, fields, mask),
    },
  };
}

function maskHeaders(headers: RawResponse["headers"], further: readonly string[]): Exchange["request"]["headers"] {
  const kept = Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [[name, KEPT_HEADERS.has(name.toLowerCase()) || further.includes(name) ? value : REMOVED] as const];
  });
  return Object.fromEntries(kept);
}

function maskChunks({ chunks }: RawResponse, fields: RecordedFields, mask: Mask): Exchange["response"]["chunks"] {
  const masked = maskBody(Buffer.concat(chunks.map(({ bytes }) => bytes)), fields, mask);
  let at = 0;
  return chunks.map(({ ms, bytes }) => chunkOf(ms, masked.subarray(at, (at += bytes.length))));
}
