// The expected parts of streams whose events name their items, count their parts or place their content otherwise than OpenAI does.
import {
  call,
  state,
  sentCall,
  said,
  thought,
  ended,
  called,
  cut,
  oneCall,
  twoCalls,
  usage,
  type Row,
} from "./expected-parts.ts";

/** Numbers that a double cannot hold. */
const LONG = '{"id":12345678901234567891,"f":1.0}';

export const DEVIATIONS: readonly Row[] = [
  // Items are found by their names, whatever else the events say.
  [
    "bent-no-output-index",
    {
      ...ended,
      text: "Let me look",
      calls: [call("fc_a", "add", '{"a":1}')],
      state: state(said("Let me look"), sentCall("fc_a", "add", '{"a":1}')),
    },
  ],
  ["bent-no-output-index-parallel", { ...called, ...twoCalls("fc_a", "fc_b") }],
  [
    "bent-shared-index",
    {
      ...ended,
      text: "Hi",
      ...twoCalls("call_a", "call_b"),
      state: state(said("Hi"), sentCall("call_a", "add", '{"a":1}'), sentCall("call_b", "add", '{"b":2}')),
    },
  ],
  [
    "bent-ids-drift",
    {
      ...ended,
      reasoning: [""],
      text: "Let me look",
      calls: [call("call_a", "add", '{"a":1}')],
      state: state(
        thought("r2", [], { encrypted_content: "E2" }),
        said("Let me look"),
        sentCall("call_a", "add", '{"a":1}'),
      ),
    },
  ],
  [
    "bent-ids-drift-no-index",
    {
      ...ended,
      text: "Let me look",
      calls: [call("call_a", "add", '{"a":1}')],
      state: state(said("Let me look"), sentCall("call_a", "add", '{"a":1}')),
    },
  ],
  ["bent-no-names", { ...ended, text: "OneTwo", phases: [null, null] }],
  ["bent-call-id-twice", { ...called, ...twoCalls("call_a", "minted_1") }],
  // Of items that share an id, the index, the call_id or the tool tells.
  ["bent-one-id-interleaved", { ...called, ...twoCalls("call_a", "call_b") }],
  [
    "bent-one-id-other-tool",
    {
      ...called,
      calls: [call("call_a", "add", '{"a":1}'), call("minted_1", "mul", '{"b":2}')],
      state: state(sentCall("call_a", "add", '{"a":1}'), sentCall("minted_1", "mul", '{"b":2}')),
    },
  ],
  ["bent-one-id-list", { ...called, ...twoCalls("call_a", "minted_1") }],
  // vLLM lists the calls under other names than it streamed them.
  [
    "bent-list-of-other-ids",
    {
      ...called,
      calls: [
        call("call_a", "add", '{"a":1}'),
        call("call_b", "add", '{"a":1}'),
        call("call_c", "add", "{}"),
        call("call_d", "add", '{"d":4}'),
      ],
      state: state(
        sentCall("call_a", "add", '{"a":1}'),
        sentCall("call_b", "add", '{"a":1}'),
        sentCall("call_c", "add", "{}"),
        sentCall("call_d", "add", '{"d":4}'),
      ),
    },
  ],
  ["bent-index-as-string", { ...called, ...twoCalls("call_a", "call_b") }],
  // Parts are found by their text.
  ["bent-content-index", { ...ended, text: "Sunny today", reasoning: ["hm"] }],
  ["bent-content-index-negative", { ...ended, text: "Sunny today" }],
  ["bent-content-index-grows", { ...ended, text: "Sunny today." }],
  // Content that is in one place only is taken from there, once.
  ["bent-arguments-in-their-done", oneCall("c1")],
  [
    "bent-arguments-without-item-done",
    {
      ...called,
      calls: [call("c1", "add", '{"a":1}'), call("c2", "add", '{"b":2}'), call("c3", "add", '{"c":3}')],
      state: state(
        sentCall("c1", "add", '{"a":1}'),
        sentCall("c2", "add", '{"b":2}'),
        sentCall("c3", "add", '{"c":3}'),
      ),
    },
  ],
  ["bent-arguments-announced-empty", oneCall("c1")],
  ["bent-arguments-written-anew", oneCall("c1", '{"a": 1}')],
  ["bent-arguments-object", oneCall("c1")],
  [
    "bent-arguments-any-type",
    {
      ...called,
      calls: [
        call("call_a", "add", LONG),
        call("call_b", "add", LONG),
        call("call_c", "add", LONG),
        call("call_d", "add", "[1]"),
        call("call_e", "add", "{}"),
      ],
      warnings: ["arguments_not_valid"],
      state: state(
        sentCall("call_a", "add", LONG),
        sentCall("call_b", "add", LONG),
        sentCall("call_c", "add", LONG),
        sentCall("call_d", "add", "[1]"),
        sentCall("call_e", "add", "{}"),
      ),
    },
  ],
  ["document-long-numbers", oneCall("call_a", LONG)],
  ["bent-text-in-its-done", { ...ended, text: "Sunny today", refusal: "No." }],
  ["bent-text-cut-around", { ...ended, text: " Sunny \n" }],
  ["bent-text-as-string", { ...ended, text: "SunnyWarm", phases: [null, null] }],
  [
    "bent-deltas-only",
    {
      ...ended,
      reasoning: ["I look."],
      text: "Let me look",
      calls: [call("c1", "add", '{"a":1}')],
      state: state(
        thought("rs_1", [], { content: [{ type: "reasoning_text", text: "I look." }] }),
        said("Let me look"),
        sentCall("c1", "add", '{"a":1}'),
      ),
    },
  ],
  [
    "bent-reasoning-in-its-done",
    {
      ...oneCall("c1"),
      reasoning: ["I look.", "Then"],
      state: state(
        thought("rs_1", ["I look."], { encrypted_content: "E" }),
        thought("rs_2", [], { content: [{ type: "reasoning_text", text: "Then" }] }),
        sentCall("c1", "add", '{"a":1}'),
      ),
    },
  ],
  [
    "document-content-as-string",
    {
      ...ended,
      reasoning: ["Hm."],
      text: "Let me look",
      calls: [call("c1", "add", '{"a":1}'), call("minted_1", "add", '{"a":2}')],
      state: state(
        thought("rs_1", [], { content: [{ type: "reasoning_text", text: "Hm." }] }),
        said("Let me look"),
        sentCall("c1", "add", '{"a":1}'),
        sentCall("minted_1", "add", '{"a":2}'),
      ),
    },
  ],
  // A response ends as badly as its event, its status or an item says.
  ["bent-completed-incomplete", { ...cut, text: "Half", calls: [call("call_a", "add", '{"a":1', false)] }],
  ["bent-completed-incomplete-details", { ...cut, text: "Half", incompleteReason: "content_filter" }],
  ["bent-completed-failed", { text: "Half", phases: [null], usage: usage(26, 7) }, "provider_unavailable"],
  ["bent-completed-cancelled", { text: "Half", phases: [null] }, "canceled"],
  ["bent-completed-item-incomplete", { ...cut, text: "Half" }],
  ["bent-completed-call-incomplete", { ...cut, phases: [], calls: [call("call_a", "add", '{"a":1', false)] }],
  [
    "bent-cut-calls-completed",
    {
      ...cut,
      phases: [],
      calls: [
        call("call_a", "add", '{"a":1}'),
        call("call_b", "add", "{}"),
        call("call_c", "add", '{"c":1', false),
        call("call_d", "add", "", false),
        call("call_e", "add", '{"e"', false),
        call("call_f", "add", '{"f":1}'),
      ],
      state: state(
        sentCall("call_a", "add", '{"a":1}'),
        sentCall("call_b", "add", "{}"),
        sentCall("call_f", "add", '{"f":1}'),
      ),
    },
  ],
  ["usage-zeros", { ...ended, text: "12345678", usage: usage(1, 2), warnings: ["usage_estimated"] }],
  ["usage-hidden-thinking", { ...ended, text: "12345678", usage: usage(20, 603, 405, 5) }],
];
