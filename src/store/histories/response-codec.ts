// Converts between rows and responses: head, ending, usage and the record for the log. Head and ending
// are stored as JSON text.
import { parseExactly } from "../../base/exact-json.ts";
import { parseJson } from "../../base/json.ts";
import type { FailureCode } from "../../contract/failures.ts";
import type { Usage } from "../../contract/resources.ts";
import type { StoredResponse, ResponseEnd, ResponseHead } from "../../core/response/response.ts";
import { StoreError } from "../../ports/store/store.ts";
import type { RunRecord } from "../../ports/store/responses.ts";
import { parseStored } from "../engine/stored-json.ts";
import type { PriceSnapshot } from "../../core/money/prices.ts";
import { memoize } from "../engine/read-cache.ts";

/** Finds a client's schema in a head; its numbers keep their exact text. */
const SCHEMA = /"(?:parameters|schema)":\{/;

/**
 * The head of a response's row. Throws a StoreError (`failed`) when it cannot be read: without it there is no response.
 */
export function decodeHead({ head, publicId }: { head: string | null; publicId: string }): ResponseHead {
  const what = `head of ${publicId}`;
  const text = head ?? "";
  const parsed = parseStored<ResponseHead | null>(text, what, SCHEMA.test(text) ? parseExactly : JSON.parse);
  if (parsed?.id !== publicId) throw new StoreError("failed", `The stored ${what} belongs to another response.`);
  return parsed;
}

/** The parts of a response's end that have no columns or rows of their own. */
type Ending = Pick<
  ResponseEnd,
  "error" | "incompleteReason" | "toolCallsDropped" | "warnings" | "failure" | "promptCharacters" | "ranAt"
>;

/** Encodes an ending as JSON text. */
export function encodeEnding(end: ResponseEnd): string {
  const { error, incompleteReason, toolCallsDropped, warnings, failure, promptCharacters, ranAt } = end;
  const ending: Ending = { error, incompleteReason, toolCallsDropped, warnings, failure };
  // JSON leaves out what is undefined.
  const isPlain = promptCharacters === undefined && ranAt === undefined;
  return JSON.stringify(isPlain ? ending : { ...ending, promptCharacters, ranAt });
}

/** The ending of nearly every response. */
const PLAIN_ENDING: Ending = { error: null, incompleteReason: null, toolCallsDropped: 0, warnings: [], failure: null };
const PLAIN_ENDING_TEXT = JSON.stringify(PLAIN_ENDING);

/** The ending of a response's row. When it cannot be read, the status still says how the response ended. */
export function decodeEnding({ ending, status }: { ending: string | null; status: StoredResponse["status"] }): Ending {
  if (ending === PLAIN_ENDING_TEXT) return PLAIN_ENDING;
  const parsed = parseJson(ending ?? "");
  if (isEnding(parsed)) return parsed;
  const message = "How this response ended is stored, but cannot be read.";
  return {
    ...PLAIN_ENDING,
    error: status === "failed" ? { code: "run_failed", message } : null,
    incompleteReason: status === "incomplete" ? "unknown" : null,
    warnings: [{ code: "ending_unreadable", message, param: null }],
  };
}

function isEnding(value: unknown): value is Ending {
  return typeof value === "object" && value !== null && "warnings" in value && Array.isArray(value.warnings);
}

/** Encodes an opaque provider state as JSON text; null for none. */
export function encodeState(state: unknown): string | null {
  return state === null || state === undefined ? null : JSON.stringify(state);
}

/** Token counts as columns. They are billing records and outlive the content. */
export interface UsageColumns {
  readonly inputTokens: number | null;
  readonly cachedTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly outputTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly totalTokens: number | null;
}

/** The columns of UsageColumns, for a select. */
export const USAGE_COLUMNS = `
         r.input_tokens       as inputTokens,
         r.cached_tokens      as cachedTokens,
         r.cache_write_tokens as cacheWriteTokens,
         r.output_tokens      as outputTokens,
         r.reasoning_tokens   as reasoningTokens,
         r.total_tokens       as totalTokens`;

/** Usage as columns. */
export function encodeUsage(usage: Usage): UsageColumns {
  return {
    inputTokens: usage.input_tokens,
    cachedTokens: usage.input_tokens_details.cached_tokens,
    cacheWriteTokens: usage.input_tokens_details.cache_write_tokens,
    outputTokens: usage.output_tokens,
    reasoningTokens: usage.output_tokens_details.reasoning_tokens,
    totalTokens: usage.total_tokens,
  };
}

/** Usage from columns; zeros while the response runs. */
export function decodeUsage(columns: UsageColumns): Usage {
  return {
    input_tokens: columns.inputTokens ?? 0,
    input_tokens_details: {
      cached_tokens: columns.cachedTokens ?? 0,
      cache_write_tokens: columns.cacheWriteTokens ?? 0,
    },
    output_tokens: columns.outputTokens ?? 0,
    output_tokens_details: { reasoning_tokens: columns.reasoningTokens ?? 0 },
    total_tokens: columns.totalTokens ?? 0,
  };
}

/** What the log of turns keeps of an end, as columns. It outlives the content. */
export type RecordColumns = { readonly failureCode: FailureCode | null } & {
  readonly [Name in keyof RunRecord]: RunRecord[Name] | null;
};

/** The record of an end as columns. */
export function encodeRecord({ error }: ResponseEnd, record: RunRecord | null): RecordColumns {
  return { failureCode: error === null ? null : error.code, ...(record ?? NO_RECORD) };
}

const NO_RECORD: Omit<RecordColumns, "failureCode"> = {
  queueMs: null,
  firstOutputMs: null,
  durationMs: null,
  attempts: null,
  providerStatus: null,
  providerRequestId: null,
};

/** The snapshot of a stored text. Throws a StoreError (`failed`) when it cannot be read. */
export const parsePriceSnapshot = memoize((text) => parseStored<PriceSnapshot>(text, "price snapshot"));
