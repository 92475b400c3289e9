// The tokens that a server counts, in the words of any server. @spec resources/usage
import type { Usage } from "../../contract/resources.ts";
import { createUsage } from "../../contract/usage.ts";
import { isJsonObject } from "../../base/json.ts";
import { readCount } from "./json-shape.ts";

/** The tokens of one response. */
export interface TokenCounts {
  /** All of the prompt; null if it is not counted. */
  readonly input: number | null;
  /** Parts of the input. */
  readonly cached: number;
  readonly written: number;
  /** Null if it is not counted. */
  readonly output: number | null;
  /** Part of the output. */
  readonly reasoning: number;
  /** The name of a count that may have a price of its own, and is not known; null for none. */
  readonly unknown: string | null;
}

/** What a server counts; null for what it does not. */
export interface ServerCounts extends CacheCounts {
  readonly input: number | null;
  readonly output: number | null;
  readonly reasoning: number | null;
  readonly total: number | null;
}

/**
 * The counts of a server whose input includes cached tokens, and whose output includes reasoning, unless its total says otherwise: behind
 * some gateways one is counted beside the other. Null if it counts neither input nor output.
 */
export function tokenCounts({
  input,
  output,
  reasoning,
  total,
  cached,
  written,
  unknown,
}: ServerCounts): TokenCounts | null {
  if (input === null && output === null) return null;
  const cache = cached + written;
  let prompt = input;
  // Gateways to Anthropic's models count only the rest of the prompt.
  if (prompt !== null && cache > 0 && (cached > prompt || total === prompt + cache + (output ?? 0))) prompt += cache;
  const beside = total === null || prompt === null || prompt === 0 ? 0 : total - prompt - (output ?? 0);
  // A reasoning that is counted has to explain the difference.
  const isReasoning = beside > 0 && (reasoning === null || reasoning === 0 || reasoning === beside);
  return {
    input: prompt,
    cached,
    written,
    output: isReasoning ? (output ?? 0) + beside : output,
    reasoning: isReasoning ? beside : (reasoning ?? 0),
    unknown,
  };
}

/** Counts with those of a later event. Both are totals; a zero replaces no count. */
export function mergeCounts(earlier: TokenCounts | null, later: TokenCounts): TokenCounts {
  if (earlier === null) return later;
  return {
    input: keepCount(later.input, earlier.input),
    cached: keepCount(later.cached, earlier.cached),
    written: keepCount(later.written, earlier.written),
    output: keepCount(later.output, earlier.output),
    reasoning: keepCount(later.reasoning, earlier.reasoning),
    unknown: later.unknown ?? earlier.unknown,
  };
}

/** The later of two counts, unless it is missing or zero. */
export function keepCount<Count extends number | null>(later: number | null, earlier: Count): number | Count {
  return later === null || (later === 0 && earlier !== null) ? earlier : later;
}

/** The usage of these counts; null if it is not whole. A prompt is never empty, nor is what produced output free. */
export function usageOf({ input, output, cached, written, reasoning }: TokenCounts, hasOutput: boolean): Usage | null {
  if (input === null || input === 0 || output === null || (output === 0 && hasOutput)) return null;
  return createUsage({ input, cached, written, output, reasoning });
}

/** Tokens of the prompt that a cache has to do with. */
export interface CacheCounts {
  readonly cached: number;
  readonly written: number;
  readonly unknown: string | null;
}

/** The names of these counts, in lower case without underscores. */
const READ: ReadonlySet<string> = new Set([
  "cachedtokens",
  "cachedinputtokens",
  "cachedprompttokens",
  "cacheinputtokens",
  "cachereadtokens",
  "cachereadinputtokens",
  "cachereadinputtokencount",
  "cachehittokens",
  "cachedcontenttokencount",
  "inputcachedtokens",
  "inputcachereadtokens",
  "numcachedtokens",
  "promptcachehittokens",
  "promptcachedtokens",
  "prompttokenscached",
]);
const WRITTEN: ReadonlySet<string> = new Set([
  "cachewritetokens",
  "cachewriteinputtokens",
  "cachewriteinputtokencount",
  "cachecreationtokens",
  "cachecreationinputtokens",
  "cachedcreationtokens",
  "inputcachewritetokens",
  "promptcachewritetokens",
]);
/** Those that say the same in another way. */
const REDUNDANT: ReadonlySet<string> = new Set(["promptcachemisstokens", "cachemisstokens", "cachediscount"]);

/** Reads the counts of the cache, under any name, from a usage and its details. The largest counts: some servers fill one name only. */
export function readCacheCounts(...sources: readonly unknown[]): CacheCounts {
  let [cached, written, unknown]: [number, number, string | null] = [0, 0, null];
  for (const source of sources) {
    if (!isJsonObject(source)) continue;
    for (const key in source) {
      if (!key.toLowerCase().includes("cache")) continue;
      const count = readCount(source[key]);
      if (count === null || count === 0) continue;
      const name = key.replaceAll("_", "").toLowerCase();
      if (READ.has(name)) cached = Math.max(cached, count);
      else if (WRITTEN.has(name)) written = Math.max(written, count);
      else if (!REDUNDANT.has(name)) unknown = key;
    }
  }
  return { cached, written, unknown };
}

/** The first count above zero under one of these names in a usage or its details, else a zero; null if there is none. */
export function readFirstCount(names: readonly string[], ...sources: readonly unknown[]): number | null {
  const counts = sources.filter(isJsonObject).flatMap((source) => names.map((name) => readCount(source[name])));
  return counts.find((count) => count !== null && count > 0) ?? counts.find((count) => count !== null) ?? null;
}
