// The expected parts of each stream in fixtures/: shapes of Ollama, vLLM, llama.cpp and LM Studio (2026), then the
// known deviations of other servers, and broken streams.
import { readFileSync } from "node:fs";
import { type FoldedParts, noParts } from "../support/provider-samples.ts";
import { RETURNED } from "./returned-corpus.ts";
import type { UpstreamErrorCode } from "../../src/providers/wire/error-codes.ts";

export interface Fixture {
  readonly name: string;
  readonly bytes: Buffer;
  /** The folded parts; a field that is not named is as in EMPTY. */
  readonly folded: FoldedParts;
  /** The failure that ends it; null when the model ended. */
  readonly failure: UpstreamErrorCode | null;
}

const EMPTY = noParts();
const USAGE = { input: 10, output: 5, cached: 0, reasoning: 0 };

const usage = (input: number, output: number, cached = 0, reasoning = 0) => ({ input, output, cached, reasoning });
const call = (callId: string, name: string, callArguments: string, isFinished = true) => ({
  callId,
  name,
  arguments: callArguments,
  isFinished,
});

type Row = readonly [name: string, folded: Partial<FoldedParts>, failure?: UpstreamErrorCode];

const ended = { incompleteReason: null };
const ROWS: readonly Row[] = [
  ["ollama-text", { text: "Hello there, wörld 🎉漢字!", usage: usage(26, 7), ...ended }],
  [
    "ollama-tool",
    { calls: [call("call_h5d7xq2k", "get_weather", '{"city":"Paris"}')], usage: usage(170, 18), ...ended },
  ],
  [
    "ollama-parallel-index-zero",
    {
      calls: [call("call_a1", "get_weather", '{"city":"Paris"}'), call("call_b2", "get_weather", '{"city":"Rome"}')],
      usage: usage(170, 40),
      ...ended,
    },
  ],
  ["ollama-thinking", { reasoning: ["The user greets me."], text: "Hi!", usage: usage(12, 9), ...ended }],
  ["bent-length-then-stop", { text: "Half", usage: USAGE, incompleteReason: "max_output_tokens" }],
  ["bent-filter-then-stop", { text: "Half", refusal: "", usage: USAGE, ...ended }],
  [
    "bent-message-behind-deltas",
    {
      reasoning: ["Hm."],
      text: "Hello",
      calls: [call("c1", "look", '{"at":1}'), call("c2", "look", '{"at":2}')],
      usage: USAGE,
      state: { reasoning_content: "Hm." },
      ...ended,
    },
  ],
  ["bent-message-behind-role", { text: "Hello", usage: USAGE, ...ended }],
  ["bent-message-in-pieces", { text: "Hello", usage: USAGE, ...ended }],
  ["bent-message-beside-empty-deltas", { text: "Hello", usage: USAGE, ...ended }],
  ["broken-choice-error", { text: "Half" }, "provider_rate_limited"],
  ["broken-document-choice-error", {}, "provider_rate_limited"],
  ["bent-empty-error", { text: "Hello", usage: USAGE, ...ended }],
  ["ollama-length", { text: "One two", usage: usage(12, 2), incompleteReason: "max_output_tokens" }],
  ["vllm-text-continuous-usage", { text: "Bonjour à tous", usage: usage(9, 6, 4), ...ended }],
  [
    "vllm-reasoning-tool",
    {
      reasoning: ["I should look it up."],
      text: "Let me see.",
      calls: [call("chatcmpl-tool-3a", "get_weather", '{"city": "Paris"}'), call("chatcmpl-tool-4b", "get_time", "{}")],
      usage: usage(220, 40, 0, 9),
      state: { reasoning_content: "I should look it up." },
      ...ended,
    },
  ],
  ["xai-reasoning-beside", { reasoning: ["Two and two."], text: "Four.", usage: usage(32, 103, 6, 94), ...ended }],
  ["vllm-error-midstream", { text: "Bon" }, "provider_unavailable"],
  ["llamacpp-reasoning-text", { reasoning: ["Thinking."], text: "Four.", usage: usage(71, 8), ...ended }],
  [
    "llamacpp-tool-token-by-token",
    {
      calls: [call("fGh7", "search", '{"query":"a {\\"b\\"} c","opts":{"n":1}}')],
      usage: usage(90, 22),
      ...ended,
    },
  ],
  ["llamacpp-error-field", { text: "Half" }, "provider_client_error"],
  ["llamacpp-no-usage", { text: "12345678", usage: usage(1, 2), warnings: ["usage_estimated"], ...ended }],
  ["lmstudio-text-crlf", { text: "Sure, here it is.", usage: usage(14, 6), ...ended }],
  [
    "lmstudio-tool-repeated",
    {
      calls: [call("365174485", "add", '{"a":1,"b":2}')],
      usage: usage(1, 4),
      warnings: ["usage_estimated"],
      ...ended,
    },
  ],
  ["lmstudio-error-event", { text: "So" }, "provider_error"],
  [
    "bent-calls-without-index-and-id",
    {
      calls: [call("minted_1", "a", '{"x":1}'), call("minted_2", "b", "{}"), call("minted_3", "a", '{"x":2}')],
      usage: USAGE,
      ...ended,
    },
  ],
  [
    "bent-call-in-pieces-without-index",
    { calls: [call("c1", "a", '{"x":1}'), call("c2", "a", '{"x":2}')], usage: USAGE, ...ended },
  ],
  [
    "bent-same-tool-twice",
    { calls: [call("minted_1", "a", '{"x":1}'), call("minted_2", "a", '{"x":2}')], usage: USAGE, ...ended },
  ],
  [
    "bent-same-tool-and-index-twice",
    { calls: [call("minted_1", "a", '{"x":1}'), call("minted_2", "a", '{"x":2}')], usage: USAGE, ...ended },
  ],
  [
    "bent-same-tool-named-again",
    { calls: [call("minted_1", "a", '{"x":1}'), call("minted_2", "a", '{"x":2}')], usage: USAGE, ...ended },
  ],
  ["bent-index-as-string", { calls: [call("c", "a", '{"x":1}'), call("d", "b", '{"y":2}')], usage: USAGE, ...ended }],
  [
    "bent-call-id-shared",
    { calls: [call("c", "a", '{"x":1}'), call("minted_1", "a", '{"y":2}')], usage: USAGE, ...ended },
  ],
  ["bent-arguments-grow", { calls: [call("c", "a", '{"x":[1,2]}')], usage: USAGE, ...ended }],
  ["bent-arguments-nested-alike", { calls: [call("c", "a", '{"not":{"not":{"x":1}}}')], usage: USAGE, ...ended }],
  [
    "bent-calls-announced-empty",
    { calls: [call("c", "a", '{"x":1}'), call("d", "b", '{"y":2}')], usage: USAGE, ...ended },
  ],
  ["bent-arguments-announced-empty", { calls: [call("c", "a", '{"x":1}')], usage: USAGE, ...ended }],
  [
    "bent-arguments-long-numbers",
    {
      calls: [
        call("minted_1", "a", '{"id":12345678901234567891,"f":1.0}'),
        call("minted_2", "b", '{"x":0.10000000000000000555}'),
      ],
      usage: USAGE,
      ...ended,
    },
  ],
  ["bent-arguments-missing", { calls: [call("c", "a", "{}"), call("d", "b", "{}")], usage: USAGE, ...ended }],
  [
    "bent-arguments-broken",
    { calls: [call("c", "a", '{"x":1')], usage: USAGE, warnings: ["arguments_not_valid"], ...ended },
  ],
  [
    "bent-call-cut-by-length",
    {
      text: "Well,",
      calls: [call("c", "a", '{"x":1', false)],
      usage: USAGE,
      incompleteReason: "max_output_tokens",
    },
  ],
  [
    "bent-call-cut-by-filter",
    {
      text: "Well,",
      refusal: "",
      calls: [call("c", "a", '{"x":1', false)],
      usage: USAGE,
      incompleteReason: "content_filter",
    },
  ],
  [
    "bent-content-filter-after-call",
    { text: "Well,", refusal: "", calls: [call("c", "a", '{"x":1}')], usage: USAGE, ...ended },
  ],
  ["bent-calls-interleaved", { calls: [call("c", "a", '{"x":1}'), call("d", "b", '{"y":2}')], usage: USAGE, ...ended }],
  ["bent-call-id-taken", { calls: [call("minted_1", "a", "{}"), call("call_1", "b", "{}")], usage: USAGE, ...ended }],
  ["bent-function-call", { calls: [call("minted_1", "a", '{"x":1}')], usage: USAGE, ...ended }],
  ["bent-refusal", { text: "I think", refusal: "I can't do that.", usage: USAGE, ...ended }],
  ["bent-content-filter", { text: "Part", refusal: "", usage: USAGE, ...ended }],
  ["glm-sensitive", { text: "Part", refusal: "", usage: USAGE, ...ended }],
  ["bent-content-parts", { reasoning: ["Hm."], text: "Yes.", usage: USAGE, ...ended }],
  ["bent-split-surrogates", { text: "a🎉bc\ufffd", usage: USAGE, ...ended }],
  ["bent-comments-and-no-done", { text: "Done", usage: USAGE, ...ended }],
  ["bent-nul", { text: "a\ufffdb", usage: usage(1, 1), warnings: ["output_repaired", "usage_estimated"], ...ended }],
  ["bent-usage-nonsense", { text: "1234567🎉", usage: usage(1, 2), warnings: ["usage_estimated"], ...ended }],
  ["bent-usage-in-choice", { text: "ok", usage: USAGE, ...ended }],
  ["bent-other-choices", { text: "one", usage: USAGE, ...ended }],
  ["bent-choices-reversed", { text: "one", usage: USAGE, ...ended }],
  ["bent-after-done", { text: "ok", usage: USAGE, ...ended }],
  ["bent-done-with-blanks", { text: "Sunny", usage: USAGE, ...ended }],
  ["bent-done-bare", { text: "Sunny", usage: USAGE, ...ended }],
  ["bent-garbage-at-end", { text: "Sunny", usage: USAGE, ...ended }],
  ["bent-reason-in-capitals", { text: "Sunny", usage: USAGE, incompleteReason: "max_output_tokens" }],
  ["bent-filter-with-cause", { text: "Sunny", refusal: "", usage: USAGE, ...ended }],
  ["bent-reason-null-as-text", { text: "Sunny", usage: USAGE, ...ended }],
  ["bent-single-line-breaks", { text: "one two", usage: USAGE, ...ended }],
  [
    "document-completion",
    {
      text: "Whole",
      reasoning: ["Hm."],
      calls: [call("c", "a", '{"x":1}')],
      usage: USAGE,
      state: { reasoning_content: "Hm." },
      ...ended,
    },
  ],
  ...RETURNED,
  ["document-error-text", {}, "provider_error"],
  ["document-page", {}, "provider_error"],
  ["broken-no-finish", { text: "Half" }, "provider_error"],
  ["broken-bare-error", { text: "Half" }, "provider_overloaded"],
  ["broken-not-json", { text: "Half" }, "provider_error"],
  ["broken-done-only", {}, "provider_error"],
  ["broken-nameless-call", {}, "provider_error"],
  ["broken-error-reason", { text: "Half" }, "provider_unavailable"],
  ["broken-unknown-reason", { text: "Sunny", usage: USAGE }, "provider_error"],
  ["broken-aborted", { text: "Half" }, "canceled"],
  ["broken-network-error", { text: "Half" }, "provider_unavailable"],
  ["broken-scalar", {}, "provider_error"],
];

const FOLDER = new URL("fixtures/", import.meta.url);

/** Every stream of the corpus. */
export const CORPUS: readonly Fixture[] = ROWS.map(([name, folded, failure]) => ({
  name,
  bytes: readFileSync(new URL(`${name}.sse`, FOLDER)),
  folded: { ...EMPTY, ...folded },
  failure: failure ?? null,
}));
