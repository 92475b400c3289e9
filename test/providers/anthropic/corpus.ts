// The expected parts of each stream in fixtures/: shapes of recorded responses (2026), then deviations and broken
// streams.
import { readFileSync } from "node:fs";
import type { RoundBlock } from "../../../src/providers/anthropic/round-state.ts";
import type { PromptItem } from "../../../src/core/response/prompt.ts";
import { type FoldedParts, userMessage } from "../../support/provider-samples.ts";
import type { UpstreamErrorCode } from "../../../src/providers/wire/error-codes.ts";

export interface Fixture {
  readonly name: string;
  readonly bytes: Buffer;
  /** The folded parts; a field that is not named is as in EMPTY. */
  readonly folded: FoldedParts;
  /** The failure that ends it; null when the model ended. */
  readonly failure: UpstreamErrorCode | null;
}

const USAGE = { input: 10, output: 5, cached: 0, reasoning: 0 };
const EMPTY: FoldedParts = {
  text: "",
  refusal: null,
  reasoning: [],
  calls: [],
  annotations: 0,
  phases: [],
  usage: USAGE,
  state: null,
  warnings: [],
  incompleteReason: null,
};

const usage = (input: number, output: number, cached = 0, reasoning = 0) => ({ input, output, cached, reasoning });
const call = (callId: string, name: string, callArguments: string, isFinished = true) => ({
  callId,
  name,
  arguments: callArguments,
  isFinished,
});
const state = (...blocks: RoundBlock[]) => ({ blocks });
const thinking = (words: string, signature: string): RoundBlock => ({ type: "thinking", thinking: words, signature });
const said = (text: string): RoundBlock => ({ type: "text", text });
const called = (callId: string): RoundBlock => ({ type: "call", callId });

type Row = readonly [name: string, folded: Partial<FoldedParts>, failure?: UpstreamErrorCode];

const paris = call("toolu_01A", "get_weather", '{"city":"Paris"}');
const cut = { incompleteReason: "max_output_tokens" };
/** The parts of a stream that broke off: without an end. */
const broken = (folded: Partial<FoldedParts> = {}) => ({ usage: usage(10, 0), incompleteReason: undefined, ...folded });
/** The parts of a stream that reports its usage in part. */
const uncounted: Partial<FoldedParts> = {
  reasoning: ["12345678"],
  text: "123456789012",
  calls: [call("toolu_01A", "look", '{"a":123456}')],
  state: state(thinking("12345678", "czE="), said("123456789012"), called("toolu_01A")),
  warnings: ["usage_estimated"],
};
const nothing = { usage: null, incompleteReason: undefined };

/** Numbers that a double cannot hold. */
const LONG = '{"id":12345678901234567891,"f":1.0}';

const ROWS: readonly Row[] = [
  ["text", { text: "Hello there, wörld 🎉漢字!", usage: usage(10, 7) }],
  ["text-cached", { text: "Again.", usage: usage(2043, 4, 2000) }],
  ["text-twice", { text: "One and two." }],
  ["stop-sequence", { text: "Up to here" }],
  [
    "tool",
    {
      text: "Let me see.",
      calls: [call("toolu_01A", "get_weather", '{"city": "Paris"}')],
      usage: usage(10, 40),
    },
  ],
  ["tool-no-arguments", { calls: [call("toolu_01A", "now", "")], usage: usage(10, 12) }],
  [
    "tools-parallel",
    {
      calls: [
        call("toolu_01A", "get_weather", '{"city": "Paris"}'),
        call("toolu_01B", "get_weather", '{"city": "Rome"}'),
      ],
      usage: usage(10, 60),
    },
  ],
  ["tool-name-mapped", { calls: [call("toolu_01A", "my.tool", '{"a":1}')], usage: usage(10, 12) }],
  [
    "tool-id-taken",
    {
      calls: [call("minted_1", "a", '{"a":1}'), call("toolu_01B", "b", "{}"), call("minted_2", "c", "{}")],
      usage: usage(10, 12),
    },
  ],
  ["tool-input-at-start", { calls: [call("toolu_01A", "a", '{"x":[1,2]}')], usage: usage(10, 12) }],
  [
    "tool-arguments-broken",
    { calls: [call("toolu_01A", "a", '{"x":1')], usage: usage(10, 12), warnings: ["arguments_not_valid"] },
  ],
  [
    "tool-arguments-any-type",
    {
      calls: [
        call("toolu_A", "a", LONG),
        call("toolu_B", "a", '{"x":1}'),
        call("toolu_C", "a", LONG),
        call("toolu_D", "a", "[1]"),
        call("toolu_E", "a", '{"x":1}'),
        call("toolu_F", "a", "{}"),
      ],
      warnings: ["arguments_not_valid"],
    },
  ],
  [
    "document-long-numbers",
    { calls: [call("toolu_A", "a", LONG), call("toolu_B", "a", "x")], warnings: ["arguments_not_valid"] },
  ],
  ["thinking-text", { reasoning: ["I should greet."], text: "Hi!", usage: usage(47, 30, 0, 20) }],
  [
    "thinking-tool",
    {
      reasoning: ["I need the weather."],
      text: "Let me see.",
      calls: [paris],
      usage: usage(10, 50, 0, 20),
      state: state(thinking("I need the weather.", "c2lnbmVkIG9uZQ=="), said("Let me see."), called("toolu_01A")),
    },
  ],
  [
    "thinking-omitted-tool",
    {
      reasoning: [""],
      calls: [paris],
      usage: usage(10, 50),
      state: state(thinking("", "c2lnbmVkIHR3bw=="), called("toolu_01A")),
    },
  ],
  [
    "thinking-redacted-tool",
    {
      reasoning: ["", "Then."],
      calls: [call("toolu_01A", "a", "{}")],
      usage: usage(10, 50),
      state: state(
        { type: "redacted_thinking", data: "aGlkZGVu" },
        thinking("Then.", "c2lnbmVkIHRocmVl"),
        called("toolu_01A"),
      ),
    },
  ],
  [
    "thinking-between-tools",
    {
      reasoning: ["First.", "Second."],
      text: "And now",
      calls: [call("toolu_01A", "a", '{"n":1}'), call("toolu_01B", "b", '{"n":2}')],
      usage: usage(10, 90),
      state: state(
        thinking("First.", "czE="),
        called("toolu_01A"),
        thinking("Second.", "czI="),
        said("And now"),
        called("toolu_01B"),
      ),
    },
  ],
  ["thinking-dropped", { text: "On.", warnings: ["reasoning_not_replayed"] }],
  ["refusal-at-once", { refusal: "", usage: usage(18, 5) }],
  ["refusal-after-text", { text: "First, take", refusal: "", usage: usage(10, 6) }],
  ["refusal-after-call", { calls: [call("toolu_01A", "a", '{"x":1}')], refusal: "", usage: usage(10, 6) }],
  [
    "refusal-within-call",
    {
      text: "So",
      calls: [call("toolu_01A", "a", '{"x":', false)],
      refusal: "",
      usage: usage(10, 6),
      incompleteReason: "content_filter",
    },
  ],
  ["max-tokens-then-end-turn", { text: "One two", usage: usage(10, 2), ...cut }],
  ["refusal-then-end-turn", { text: "One two", refusal: "", usage: usage(10, 2), incompleteReason: null }],
  ["document-empty-error", { text: "Whole", usage: usage(10, 2), incompleteReason: null }],
  ["max-tokens-text", { text: "One two", usage: usage(10, 2), ...cut }],
  [
    "max-tokens-in-call",
    { text: "Well,", calls: [call("toolu_01A", "a", '{"x":1', false)], usage: usage(10, 16), ...cut },
  ],
  ["max-tokens-before-arguments", { calls: [call("toolu_01A", "a", "", false)], usage: usage(10, 16), ...cut }],
  [
    "max-tokens-after-call",
    {
      reasoning: ["Hm.", "Half a"],
      calls: [call("toolu_01A", "a", '{"x":1}')],
      usage: usage(10, 16),
      state: state(thinking("Hm.", "czE="), called("toolu_01A")),
      ...cut,
    },
  ],
  ["context-window-exceeded", { text: "Long", usage: usage(10, 2), ...cut }],
  ["pause-turn", { text: "Wait", usage: usage(10, 2), ...cut }],
  ["unknown-words", { text: "Known." }],
  ["after-the-end", { text: "ok" }],
  ["start-twice", { text: "ok" }],
  ["text-at-start", { text: "Whole" }],
  ["lines-crlf", { text: "Sure, here." }],
  ["blocks-without-stop", { text: "Hi", calls: [call("toolu_01A", "a", '{"x":1}')] }],
  ["nul", { text: "a\ufffd", warnings: ["output_repaired"] }],
  [
    "nul-in-thinking",
    {
      reasoning: ["a\ufffd"],
      calls: [call("toolu_01A", "lo\ufffdok", '{"a":"\ufffd"}')],
      warnings: ["output_repaired"],
    },
  ],
  ["no-message-stop", { text: "Half" }],
  ["done-for-message-stop", { text: "Half" }],
  ["garbage-at-end", { text: "Half" }],
  [
    "index-repeated",
    {
      reasoning: ["Hm."],
      text: "One.",
      calls: [call("toolu_01A", "a", '{"x":1}'), call("toolu_01B", "b", '{"y":2}')],
    },
  ],
  ["index-as-string", { calls: [call("toolu_A", "a", '{"x":1}'), call("toolu_B", "a", '{"y":2}')] }],
  ["index-at-start-only", { text: "Hi", calls: [call("toolu_A", "a", '{"x":1}')] }],
  ["delta-of-text-in-thinking", { reasoning: ["Hm.", "So."], text: "Hi you" }],
  [
    "delta-of-text-in-call",
    { text: "\nBye", calls: [call("toolu_A", "a", '{"x":1}'), call("toolu_B", "a", '{"y":2}')] },
  ],
  [
    "delta-of-thinking-in-text",
    {
      reasoning: ["Hm.", "Well.Yes."],
      text: "Hi!",
      calls: [call("toolu_A", "a", "{}")],
      state: state(thinking("Hm.", "czE="), said("Hi"), said("!"), called("toolu_A")),
    },
  ],
  ["delta-of-text-in-unknown", { text: "Hi" }],
  ["delta-first", { reasoning: ["Hm."], text: "Hi" }],
  [
    "document-message",
    {
      reasoning: ["Hm."],
      text: "Sunny",
      calls: [call("toolu_01A", "a", '{"x":1}')],
      state: state(thinking("Hm.", "czE="), said("Sunny"), called("toolu_01A")),
    },
  ],
  ["split-surrogates", { text: "a🎉b\ufffd" }],
  ["usage-zeros", { text: "12345678", usage: usage(3, 2), warnings: ["usage_estimated"] }],
  ["usage-zeros-later", { text: "12345678", usage: usage(1065, 8, 1000) }],
  ["usage-cached-only", { text: "12345678", usage: usage(40, 8, 40), warnings: ["usage_count_unknown"] }],
  ["usage-nonsense", { text: "ok", usage: usage(3, 3), warnings: ["usage_estimated"] }],
  ["usage-none", { ...uncounted, usage: usage(3, 9, 0, 2) }],
  // The output count of the start is not final.
  ["usage-at-start", { ...uncounted, usage: usage(30, 9, 20, 2) }],
  ["usage-output-alone", { ...uncounted, usage: usage(3, 500) }],
  ["error-overloaded", broken({ text: "Half" }), "provider_overloaded"],
  ["error-bare", broken({ text: "Half" }), "provider_overloaded"],
  ["error-api", broken({ text: "Half" }), "provider_unavailable"],
  ["error-at-once", nothing, "provider_rate_limited"],
  ["error-unheard-of", broken(), "provider_error"],
  ["error-document", nothing, "provider_overloaded"],
  ["broken-no-reason", broken({ text: "Half", usage: USAGE }), "provider_error"],
  ["broken-unknown-reason", broken({ text: "Known.", usage: USAGE }), "provider_error"],
  ["broken-cut", broken({ text: "Half" }), "provider_error"],
  ["broken-empty", nothing, "provider_error"],
  ["broken-not-json", broken({ text: "Half" }), "provider_error"],
  ["broken-scalar", nothing, "provider_error"],
  ["broken-delta-first", broken({ text: "x" }), "provider_error"],
  ["broken-delta-of-arguments", broken({ text: "Hi" }), "provider_error"],
  ["broken-block-first", nothing, "provider_error"],
  ["broken-stop-first", nothing, "provider_error"],
  ["broken-nameless-call", broken(), "provider_error"],
  ["broken-document", { ...nothing, text: "Whole" }, "provider_error"],
  ["broken-page", nothing, "provider_error"],
];

/** The prompt of the streams: ten characters, a call_id that is taken and a name that is mapped. */
export const CORPUS_ITEMS: readonly PromptItem[] = [
  { type: "call", callId: "call_0", name: "my.tool", arguments: "{}" },
  { type: "result", callId: "call_0", name: "my.tool", output: "" },
  userMessage("?"),
];

export const FIXTURES = new URL("fixtures/", import.meta.url);

/** Every stream of the corpus. */
export const CORPUS: readonly Fixture[] = ROWS.map(([name, folded, failure]) => ({
  name,
  bytes: readFileSync(new URL(`${name}.sse`, FIXTURES)),
  folded: { ...EMPTY, ...folded },
  failure: failure ?? null,
}));
