// The expected parts of each stream in fixtures/: shapes of the Gemini API (2026: CRLF, counts in every chunk, a last
// part that is empty except for its signature), then deviations of gateways in front of it, and broken streams.
import { readdirSync, readFileSync } from "node:fs";
import { type FoldedParts, noParts } from "../../support/provider-samples.ts";
import { parseWithDigits } from "../../../src/providers/wire/arguments.ts";
import type { UpstreamErrorCode } from "../../../src/providers/wire/error-codes.ts";

export interface Fixture {
  readonly name: string;
  /** The responses of one round. */
  readonly responses: readonly Buffer[];
  /** The folded parts; a field that is not named is as in EMPTY. */
  readonly folded: FoldedParts;
  /** The failure that ends it; null when the model ended. */
  readonly failure: UpstreamErrorCode | null;
}

const EMPTY = noParts();

const usage = (input: number, output: number, reasoning = 0, cached = 0) => ({ input, output, cached, reasoning });
const call = (callId: string, name: string, callArguments: string) => ({
  callId,
  name,
  arguments: callArguments,
  isFinished: true,
});
const wireCall = (name: string, args: object | undefined, id?: string, thoughtSignature?: string) => ({
  functionCall: { name, ...(args === undefined ? {} : { args }), ...(id === undefined ? {} : { id }) },
  ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
});
const thought = (text: string) => ({ text, thought: true });

const ended = { incompleteReason: null };
const cut = { incompleteReason: "max_output_tokens" };
const USAGE = usage(26, 7);

/** A call whose arguments have numbers beyond a double. */
const LONG_NUMBERS: Partial<FoldedParts> = {
  calls: [call("c1", "look", '{"id":12345678901234567891,"f":1.0}')],
  usage: USAGE,
  state: {
    parts: [wireCall("look", parseWithDigits('{"id":12345678901234567891,"f":1.0}') as object, "c1", "s1")],
    callIds: ["c1"],
  },
  ...ended,
};

type Row = readonly [names: string | readonly string[], folded: Partial<FoldedParts>, failure?: UpstreamErrorCode];

const ROWS: readonly Row[] = [
  ["text", { text: "Hello there, wörld 🎉漢字!", usage: USAGE, ...ended }],
  ["text-thoughts-uncovered", { text: "fixture ok", usage: usage(7, 96, 94), ...ended }],
  ["text-cached", { text: "Again.", usage: usage(4_000, 3, 0, 3_900), ...ended }],
  [
    "thinking",
    {
      reasoning: ["**Greeting**\n\nThe user greets me. I greet back."],
      text: "Hi!",
      usage: usage(12, 43, 41),
      ...ended,
    },
  ],
  [
    "tool",
    {
      calls: [call("call_129591", "get_weather", '{"city":"Paris","days":2}')],
      usage: usage(29, 819, 804),
      state: {
        parts: [wireCall("get_weather", { city: "Paris", days: 2 }, "call_129591", "EpEgsig1")],
        callIds: ["call_129591"],
      },
      ...ended,
    },
  ],
  [
    "tool-thinking",
    {
      reasoning: ["I should look it up."],
      text: "Let me see.",
      calls: [call("c1", "get_weather", '{"city":"Zürich \\"x\\""}')],
      usage: usage(29, 30, 11),
      state: {
        parts: [
          thought("I should look it up."),
          { text: "Let me see." },
          wireCall("get_weather", { city: 'Zürich "x"' }, "c1", "sig1"),
        ],
        callIds: ["c1"],
      },
      ...ended,
    },
  ],
  [
    "tools-parallel",
    {
      calls: [
        call("c1", "get_weather", '{"city":"Paris"}'),
        call("c2", "get_weather", '{"city":"Rome"}'),
        call("c3", "get_time", "{}"),
      ],
      usage: usage(40, 85, 60),
      state: {
        parts: [
          wireCall("get_weather", { city: "Paris" }, "c1", "sig1"),
          wireCall("get_weather", { city: "Rome" }, "c2"),
          wireCall("get_time", {}, "c3"),
        ],
        callIds: ["c1", "c2", "c3"],
      },
      ...ended,
    },
  ],
  [
    "tools-without-ids",
    {
      calls: [call("minted_1", "get_weather", '{"city":"Paris"}'), call("minted_2", "get_time", "{}")],
      usage: usage(40, 20),
      state: {
        parts: [wireCall("get_weather", { city: "Paris" }), wireCall("get_time", undefined)],
        callIds: ["minted_1", "minted_2"],
      },
      ...ended,
    },
  ],
  [
    "bent-arguments-any-type",
    {
      calls: [
        call("c1", "look", '{"x":1}'),
        call("c2", "look", "x"),
        call("c3", "look", "[1]"),
        call("c4", "look", "{}"),
        call("c5", "look", "{}"),
      ],
      warnings: ["arguments_not_valid", "arguments_not_valid"],
      state: {
        parts: [
          wireCall("look", { x: 1 }, "c1"),
          wireCall("look", { arguments: "x" }, "c2"),
          wireCall("look", { arguments: "[1]" }, "c3"),
          wireCall("look", {}, "c4"),
          wireCall("look", {}, "c5"),
        ],
        callIds: ["c1", "c2", "c3", "c4", "c5"],
      },
      usage: usage(26, 7),
      ...ended,
    },
  ],
  [
    "tool-id-taken",
    {
      calls: [call("minted_1", "get_time", "{}")],
      usage: usage(9, 4),
      state: { parts: [wireCall("get_time", {}, "call_0", "s")], callIds: ["minted_1"] },
      ...ended,
    },
  ],
  [
    "tool-between-texts",
    {
      text: "Onetwo",
      reasoning: ["Hm."],
      calls: [call("c1", "a", '{"x":1}'), call("c2", "b", "{}")],
      usage: usage(9, 10, 2),
      state: {
        parts: [
          { text: "One" },
          wireCall("a", { x: 1 }, "c1", "s1"),
          { text: "two" },
          thought("Hm."),
          wireCall("b", {}, "c2"),
        ],
        callIds: ["c1", "c2"],
      },
      ...ended,
    },
  ],
  ["tool-long-numbers", LONG_NUMBERS],
  ["document-long-numbers", LONG_NUMBERS],
  ["safety-after-text", { text: "I could say", refusal: "", usage: usage(10, 3), ...ended }],
  ["safety-before-text", { refusal: "", usage: usage(10, 0), ...ended }],
  ["recitation", { text: "We hold these", refusal: "", usage: usage(10, 3), ...ended }],
  ["prompt-block", { refusal: "", usage: usage(9, 0), ...ended }],
  ["prompt-block-other", { refusal: "", usage: usage(9, 0), ...ended }],
  ["model-armor", { text: "I could", refusal: "", usage: usage(10, 3), ...ended }],
  ["bent-safety-then-stop", { text: "Half", refusal: "", usage: usage(10, 3), ...ended }],
  ["bent-max-tokens-then-stop", { text: "Half", usage: usage(10, 3), ...cut }],
  ["bent-empty-error", { text: "Hello", usage: usage(10, 2), ...ended }],
  ["usage-cached-early", { text: "Again and again.", usage: usage(26, 5, 0, 15), ...ended }],
  ["max-tokens", { text: "One two", usage: usage(12, 2), ...cut }],
  ["max-tokens-in-thoughts", { reasoning: ["Let me think about"], usage: usage(12, 16, 16), ...cut }],
  [
    ["continuation-1", "continuation-2"],
    {
      reasoning: ["A long story."],
      text: "Once upon 🎉 a time",
      calls: [call("c1", "tell", '{"n":1}')],
      usage: usage(75, 30, 5),
      state: {
        parts: [thought("A long story."), { text: "Once upon 🎉 a time" }, wireCall("tell", { n: 1 }, "c1", "s1")],
        callIds: ["c1"],
      },
      ...ended,
    },
  ],
  ["continuation-without-token", { text: "Once", usage: usage(30, 10), ...cut }],
  ["bent-comments-and-done", { text: "ok", usage: USAGE, ...ended }],
  ["bent-last-event-open", { text: "ok", usage: USAGE, ...ended }],
  ["bent-split-surrogates", { text: "a🎉bc\ufffd", usage: USAGE, ...ended }],
  [
    "bent-no-usage",
    { reasoning: ["12345678"], text: "12345678", usage: usage(1, 4, 2), warnings: ["usage_estimated"], ...ended },
  ],
  ["bent-nul", { text: "a\ufffdb", usage: USAGE, warnings: ["output_repaired"], ...ended }],
  ["usage-zeros", { text: "12345678", usage: usage(1, 2), warnings: ["usage_estimated"], ...ended }],
  ["usage-zeros-later", { text: "12345678", usage: usage(10, 5), ...ended }],
  ["usage-hidden-thinking", { text: "12345678", usage: usage(20, 603, 405), ...ended }],
  ["bent-usage-nonsense", { text: "ok", usage: USAGE, ...ended }],
  ["bent-other-candidates", { text: "one", usage: USAGE, ...ended }],
  ["bent-candidates-reversed", { text: "one", usage: USAGE, ...ended }],
  ["bent-counts-without-prompt", { text: "ok", usage: USAGE, ...ended }],
  ["bent-foreign-parts", { text: "ok", usage: USAGE, ...ended }],
  ["bent-empty-stop", { usage: usage(26, 0), ...ended }],
  ["bent-counts-after-end", { text: "ok", usage: USAGE, ...ended }],
  ["document-array", { text: "Whole", usage: USAGE, ...ended }],
  [
    "document-object",
    {
      reasoning: ["Hm."],
      text: "Whole",
      calls: [call("c1", "a", '{"x":1}')],
      usage: USAGE,
      state: { parts: [thought("Hm."), { text: "Whole" }, wireCall("a", { x: 1 }, "c1", "s1")], callIds: ["c1"] },
      ...ended,
    },
  ],
  ["document-error", {}, "provider_overloaded"],
  ["document-page", {}, "provider_error"],
  ["broken-overloaded-midstream", { text: "Bon", usage: usage(9, 1) }, "provider_overloaded"],
  ["broken-limited-midstream", { text: "Bon", usage: usage(9, 1) }, "provider_rate_limited"],
  ["broken-overloaded-bare", { text: "Bon", usage: usage(9, 1) }, "provider_overloaded"],
  ["broken-limited-bare", { text: "Bon", usage: usage(9, 1) }, "provider_rate_limited"],
  ["broken-internal-midstream", { text: "Bon", usage: usage(9, 1) }, "provider_unavailable"],
  ["broken-malformed-call", { text: "Well", usage: usage(9, 30) }, "provider_error"],
  ["broken-unexpected-call", { usage: usage(9, 3) }, "provider_error"],
  ["broken-other", { text: "Half", usage: usage(9, 1) }, "provider_error"],
  ["broken-unknown-reason", { text: "Half", usage: usage(9, 1) }, "provider_error"],
  ["broken-nameless-call", { usage: USAGE }, "provider_error"],
  ["broken-no-finish", { text: "Half", usage: usage(9, 1) }, "provider_error"],
  ["broken-empty-chunk", {}, "provider_error"],
  ["broken-not-json", { text: "Half", usage: usage(9, 1) }, "provider_error"],
  ["broken-scalar", {}, "provider_error"],
  ["broken-nothing", {}, "provider_error"],
];

const FOLDER = new URL("fixtures/", import.meta.url);

/** The bytes of a fixture file. */
export const readFixture = (name: string) => readFileSync(new URL(`${name}.sse`, FOLDER));

/** The names of every fixture file. */
export const FIXTURE_NAMES: readonly string[] = readdirSync(FOLDER).map((file) => file.replace(".sse", ""));

/** Every stream of the corpus. */
export const CORPUS: readonly Fixture[] = ROWS.map(([names, folded, failure]) => {
  const files = typeof names === "string" ? [names] : names;
  return {
    name: files.join(" and "),
    responses: files.map(readFixture),
    folded: { ...EMPTY, ...folded },
    failure: failure ?? null,
  };
});
