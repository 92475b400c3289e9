// Plans and the window: the items that count, those that are dropped, and those that never are.
import assert from "node:assert/strict";
import { test } from "node:test";
import { itemSize } from "../history/history-item.ts";
import { assistantMessage, callItem, entryOf, apiErrorOf, userMessage } from "../../../test/support/responses.ts";
import { plan, latestOf, continued, later, output, warningCodes } from "../../../test/support/plans.ts";

// Three turns of 1,000 characters in a model that takes 3,540.
const turns = [1, 2, 3].flatMap((turn) => [
  entryOf(userMessage(`msg_${turn}`, "u".repeat(500)), { opensTurn: true, responseId: `resp_${turn}` }),
  entryOf(assistantMessage(`msg_${turn}a`, "a".repeat(500)), { responseId: `resp_${turn}` }),
]);

const small = latestOf({ id: "resp_3", model: "test/small" });

const full = { history: continued(small, { size: 3000, turns: 3 }), entries: turns };

test("a response that does not fit is an error with disabled; with auto turns are dropped and counted in a warning", () => {
  const refusal = apiErrorOf(() => later({ input: "x".repeat(600) }, small, full));
  assert.deepEqual([refusal.code, refusal.param], ["context_length_exceeded", null]);
  const planned = later({ input: "x".repeat(600), truncation: "auto" }, small, full);
  assert.equal(planned.prompt.items.length, 5);
  assert.deepEqual(warningCodes(planned), ["truncated"]);
  assert.match(planned.head.warnings[0]?.message ?? "", /^1 turn was dropped/);
  assert.deepEqual(warningCodes(later({ input: "x".repeat(540), truncation: "auto" }, small, full)), []);
});

test("no dropped turns are reported when the history fits without what could not be read", () => {
  const latest = latestOf({ id: "resp_1", model: "test/small" });
  const question = entryOf(userMessage("msg_1", "u".repeat(3000)), { opensTurn: true, responseId: "resp_1" });
  // The answer of 600 characters is unreadable: it counts in the size of the history, and is not sent.
  const given = { history: continued(latest, { size: 3600, turns: 1 }), entries: [question], unreadable: 1 };
  const planned = later({ input: "x".repeat(100), truncation: "auto" }, latest, given);
  assert.equal(planned.prompt.items.length, 2);
  assert.deepEqual(warningCodes(planned), ["history_unreadable"]);
});

test("instructions count towards the window", () => {
  const fields = { input: "x".repeat(500) };
  assert.ok(later({ ...fields, instructions: "i".repeat(40) }, small, full));
  assert.equal(
    apiErrorOf(() => later({ ...fields, instructions: "i".repeat(41) }, small, full)).code,
    "context_length_exceeded",
  );
});

test("only outputs of waiting calls count towards the window", () => {
  const waiting = { ...small, waitingCalls: [callItem("a")] };
  const given = { ...full, history: continued(waiting, { size: 3000, turns: 3 }) };
  const old = output("old", "o".repeat(5000));
  const resent = { type: "function_call", call_id: "old", name: "n", arguments: "{}" };
  const input = [{ role: "user", content: "u".repeat(5000) }, resent, old, output("a", "x".repeat(540))];
  assert.ok(later({ input }, waiting, given));
  assert.throws(() => later({ input: [output("a", "x".repeat(541))] }, waiting, given));
});

test("truncation never drops the turn that tool outputs continue, whether items were added meanwhile or not", () => {
  const added = entryOf(userMessage("msg_added", "n".repeat(1000)), { opensTurn: true });
  const entries = [
    ...turns,
    entryOf(userMessage("msg_4", "q".repeat(1000)), { opensTurn: true, responseId: "resp_4" }),
    entryOf(callItem("a"), { responseId: "resp_4" }),
    added,
  ];
  const size = entries.reduce((sum, entry) => sum + entry.size, 0);
  const waiting = latestOf({ id: "resp_4", turnId: "resp_4", model: "test/small" }, { waitingCalls: [callItem("a")] });
  const given = { history: continued(waiting, { size, turns: 5 }), entries };
  const planned = later({ input: [output("a", "x".repeat(500))], truncation: "auto" }, waiting, given);
  assert.deepEqual(
    planned.prompt.items.map((item) => item.type),
    ["message", "call", "result", "message"],
  );
  assert.match(planned.head.warnings[0]?.message ?? "", /^3 turns were dropped/);
  const tooMuch = { input: [output("a", "x".repeat(2600))], truncation: "auto" };
  assert.equal(apiErrorOf(() => later(tooMuch, waiting, given)).code, "context_length_exceeded");
});

const exchange = [
  { type: "function_call", call_id: "c".repeat(70), name: "find", arguments: "{}" },
  { type: "function_call_output", call_id: "c".repeat(70), output: "found" },
];

for (const [name, input] of [
  ["a text", "Hello"],
  [
    "messages",
    [
      { role: "user", content: "a" },
      { role: "user", content: "" },
      { role: "user", content: "b" },
      { role: "user", content: "👋" },
    ],
  ],
  ["parts", [{ role: "user", content: ["a", "", "b"].map((text) => ({ type: "input_text", text })) }]],
  ["a carried exchange", [...exchange, { role: "user", content: "Go on" }]],
  [
    "reasoning",
    [
      { type: "reasoning", summary: [{ type: "summary_text", text: "Hm" }] },
      { role: "user", content: "Go on" },
    ],
  ],
] as const) {
  test(`${name} counts before the turn what its items count in its history`, () => {
    const { promptCharacters, input: items } = plan({ model: "test/all", input, instructions: "Be brief" });
    assert.equal(
      promptCharacters,
      items.reduce((sum, { item }) => sum + itemSize(item), "Be brief".length),
    );
  });
}
