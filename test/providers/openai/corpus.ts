// The expected parts of each stream in fixtures/: shapes of the Responses API (2026), then deviations of other servers
// and proxies, and broken streams.
import { readdirSync, readFileSync } from "node:fs";
import { type FoldedParts, noParts } from "../../support/provider-samples.ts";
import { DEVIATIONS } from "./deviations.ts";
import { usage, call, state, sentCall, said, thought, ended, called, cut, type Row } from "./expected-parts.ts";
import type { UpstreamErrorCode } from "../../../src/providers/wire/error-codes.ts";

export interface Fixture {
  readonly name: string;
  readonly bytes: Buffer;
  /** The folded parts; a field that is not named is as in EMPTY. */
  readonly folded: FoldedParts;
  /** The failure that ends it; null when the model ended. */
  readonly failure: UpstreamErrorCode | null;
}

const EMPTY = noParts();

const ROWS: readonly Row[] = [
  ["text", { ...ended, text: "Hello there, wörld 🎉漢字!" }],
  ["text-cached", { ...ended, text: "Again.", usage: usage(4000, 3, 0, 3900) }],
  ["text-phases", { ...ended, text: "Let me think.Four.", phases: ["commentary", "final_answer"] }],
  [
    "reasoning-text",
    { ...ended, reasoning: ["**Counting**\n\nTwo and two."], text: "Four.", usage: usage(30, 20, 14) },
  ],
  ["reasoning-silent", { ...ended, reasoning: [""], text: "Four." }],
  [
    "tool",
    {
      ...called,
      calls: [call("call_h5", "get_weather", '{"city":"Paris"}')],
      state: state(sentCall("call_h5", "get_weather", '{"city":"Paris"}')),
    },
  ],
  [
    "tool-parallel",
    {
      ...called,
      calls: [call("call_a1", "get_weather", '{"city":"Paris"}'), call("call_b2", "get_time", "{}")],
      state: state(sentCall("call_a1", "get_weather", '{"city":"Paris"}'), sentCall("call_b2", "get_time", "{}")),
    },
  ],
  [
    "tool-reasoning",
    {
      ...ended,
      reasoning: ["I look.", ""],
      text: "Let me see.",
      phases: ["commentary"],
      calls: [call("call_a1", "get_weather", '{"city":"Paris"}'), call("call_b2", "get_time", '{"zone":"CET"}')],
      usage: usage(300, 80, 40, 256),
      state: state(
        thought("rs_0", ["I look."], { encrypted_content: "gAAAA1" }),
        said("Let me see.", { phase: "commentary" }),
        sentCall("call_a1", "get_weather", '{"city":"Paris"}'),
        thought("rs_3", [], { encrypted_content: "gAAAA2" }),
        sentCall("call_b2", "get_time", '{"zone":"CET"}'),
      ),
    },
  ],
  [
    "tool-no-arguments",
    { ...called, calls: [call("call_a1", "get_time", "{}")], state: state(sentCall("call_a1", "get_time", "{}")) },
  ],
  ["refusal", { ...ended, refusal: "I can't help with that." }],
  ["refusal-after-text", { ...ended, text: "I think", refusal: "No." }],
  ["refusal-empty", { ...ended, refusal: "" }],
  ["citations", { ...ended, text: "See here.", annotations: 2 }],
  ["incomplete-length", { ...cut, text: "One two" }],
  ["incomplete-filter", { ...cut, text: "Part", incompleteReason: "content_filter" }],
  ["incomplete-call", { ...cut, text: "Well,", calls: [call("call_a1", "add", '{"a":1', false)] }],
  [
    "incomplete-second-call",
    {
      ...cut,
      phases: [],
      reasoning: [""],
      calls: [call("call_a1", "add", '{"a":1}'), call("call_b2", "add", '{"b"', false)],
      state: state(thought("rs_0", [], { encrypted_content: "gAAA" }), sentCall("call_a1", "add", '{"a":1}')),
    },
  ],
  ["incomplete-reasoning", { ...cut, phases: [], reasoning: [""], usage: usage(20, 16, 16) }],
  ["failed-server-error", { text: "Half", phases: [null], usage: usage(26, 3) }, "provider_unavailable"],
  ["failed-invalid-prompt", {}, "provider_client_error"],
  ["failed-rate-limit", {}, "provider_rate_limited"],
  ["failed-without-error", {}, "provider_error"],
  ["error-overloaded", { text: "Half", phases: [null] }, "provider_overloaded"],
  ["error-first", {}, "provider_rate_limited"],
  ["error-flat", {}, "provider_unavailable"],
  ["cancelled", { text: "Half", phases: [null] }, "canceled"],
  ["bent-no-event-names", { ...ended, text: "Hello" }],
  ["bent-no-types", { ...ended, text: "AB" }],
  ["bent-crlf", { ...ended, text: "Hello" }],
  ["bent-unknown", { ...ended, text: "ok" }],
  [
    "bent-completed-only",
    {
      ...ended,
      reasoning: ["Hm."],
      text: "Whole",
      refusal: "No.",
      annotations: 1,
      phases: ["final_answer"],
      calls: [call("call_a1", "add", '{"a":1}')],
      state: state(
        thought("rs_0", ["Hm."], { encrypted_content: "gAAA" }),
        said("Whole", {
          id: "msg_1",
          status: "completed",
          content: [
            { type: "output_text", text: "Whole", annotations: [] },
            { type: "refusal", refusal: "No." },
          ],
          phase: "final_answer",
        }),
        sentCall("call_a1", "add", '{"a":1}'),
      ),
    },
  ],
  [
    "bent-items-only",
    {
      ...ended,
      text: "Whole",
      calls: [call("call_a1", "add", '{"a":1}')],
      state: state(said("Whole"), sentCall("call_a1", "add", '{"a":1}')),
    },
  ],
  [
    "bent-nothing-done",
    {
      ...ended,
      text: "Hello",
      calls: [call("call_a1", "add", '{"a":1}')],
      state: state(said("Hello"), sentCall("call_a1", "add", '{"a":1}')),
    },
  ],
  ["bent-no-indexes", { ...ended, text: "Hello" }],
  ["bent-no-usage", { ...ended, text: "Hello", usage: usage(1, 2), warnings: ["usage_estimated"] }],
  [
    "bent-call-ids",
    {
      ...called,
      calls: [call("minted_1", "add", "{}"), call("minted_2", "add", "{}")],
      state: state(sentCall("minted_1", "add", "{}"), sentCall("minted_2", "add", "{}")),
    },
  ],
  [
    "bent-arguments-broken",
    {
      ...called,
      calls: [call("call_a1", "add", '{"a":1')],
      warnings: ["arguments_not_valid"],
      state: state(sentCall("call_a1", "add", '{"a":1')),
    },
  ],
  [
    "bent-plain-reasoning",
    {
      ...called,
      reasoning: ["I look it up."],
      calls: [call("call_a1", "add", "{}")],
      state: state(
        thought("rs_0", [], { content: [{ type: "reasoning_text", text: "I look it up." }] }),
        sentCall("call_a1", "add", "{}"),
      ),
    },
  ],
  [
    "bent-calls-interleaved",
    {
      ...called,
      calls: [call("call_a1", "add", '{"a":1}'), call("call_b2", "mul", '{"b":2}')],
      state: state(sentCall("call_a1", "add", '{"a":1}'), sentCall("call_b2", "mul", '{"b":2}')),
    },
  ],
  ["bent-messages-interleaved", { ...ended, text: "abc", phases: [null, null, null, null, null] }],
  // A message that became two can't be replayed as one: its round is rebuilt.
  [
    "bent-message-around-call",
    { ...ended, text: "AB", phases: [null, null], calls: [call("call_a1", "add", '{"a":1}')] },
  ],
  ["bent-after-end", { ...ended, text: "ok" }],
  ["bent-nul", { ...ended, text: "\ufffd", warnings: ["output_repaired"] }],
  ["bent-split-surrogates", { ...ended, text: "a🎉bc\ufffd" }],
  [
    "document-response",
    {
      ...ended,
      reasoning: ["Hm."],
      text: "Whole",
      calls: [call("call_a1", "add", '{"a":1}')],
      state: state(
        thought("rs_0", ["Hm."], { encrypted_content: "gAAA" }),
        said("Whole"),
        sentCall("call_a1", "add", '{"a":1}'),
      ),
    },
  ],
  ...DEVIATIONS,
  ["document-incomplete", { ...cut, text: "Whole" }],
  ["document-failed", { usage: usage(5, 0) }, "provider_unavailable"],
  ["document-queued", {}, "provider_error"],
  ["document-error", {}, "provider_client_error"],
  ["document-page", {}, "provider_error"],
  ["broken-no-end", { text: "Half", phases: [null] }, "provider_error"],
  ["broken-done-only", { text: "Half", phases: [null] }, "provider_error"],
  ["broken-not-json", { text: "Half", phases: [null] }, "provider_error"],
  ["broken-scalar", { text: "Half", phases: [null] }, "provider_error"],
  ["broken-bare-error", { text: "Half", phases: [null] }, "provider_unavailable"],
  ["broken-nameless-call", {}, "provider_error"],
];

const FOLDER = new URL("fixtures/", import.meta.url);

/** The names of every file of fixtures/. */
export const FIXTURE_NAMES: readonly string[] = readdirSync(FOLDER).map((file) => file.replace(/\.sse$/, ""));

/** Every stream of the corpus. */
export const CORPUS: readonly Fixture[] = ROWS.map(([name, folded, failure]) => ({
  name,
  bytes: readFileSync(new URL(`${name}.sse`, FOLDER)),
  folded: { ...EMPTY, ...folded },
  failure: failure ?? null,
}));
