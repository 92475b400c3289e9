import assert from "node:assert/strict";
import { test } from "node:test";
import { assertInvalidInput, callItem, countingMint } from "../../../test/support/responses.ts";
import { readResentItems } from "../reading/input-items.ts";
import {
  listAnswered,
  assertNoCallsWaiting,
  assertNotBeingAnswered,
  continuesTurn,
  type KnownCalls,
  readToolOutputs,
} from "./tool-outputs.ts";
import type { WaitingCalls } from "./response.ts";

const output = (callId: string, text = "42") => ({ type: "function_call_output", call_id: callId, output: text });
const call = (callId: string) => ({ type: "function_call", call_id: callId, name: "add", arguments: "{}" });
const user = { role: "user", content: "x" };
const waiting = [callItem("a"), callItem("b")];

const waitingOf = (more: Partial<WaitingCalls> = {}): WaitingCalls => ({
  madeBy: "resp_9",
  turnId: "resp_9",
  firstRound: "resp_9",
  calls: waiting,
  answeredBy: null,
  requiresOutputs: true,
  ...more,
});
const read = (values: readonly unknown[]) =>
  readResentItems(values, { param: "input", rejectedRoles: { assistant: "no." } });
const knownOf = (more: Partial<KnownCalls> = {}): KnownCalls => ({
  waiting: [waitingOf()],
  settledCalls: [],
  ambiguousCalls: [],
  ...more,
});
const answer = (values: readonly unknown[], answered: readonly string[] = [], more: Partial<KnownCalls> = {}) =>
  readToolOutputs(read(values), knownOf(more), new Set(answered), countingMint());
const answeredIds = (values: readonly unknown[], answered: readonly string[] = []) =>
  answer(values, answered).items.map(({ item }) => (item.type === "function_call_output" ? item.call_id : item.type));

test("an input with an output for a waiting call continues the turn, whatever else it holds", () => {
  assert.equal(continuesTurn(read([user, call("a"), output("a")]), knownOf()), true);
  assert.equal(continuesTurn(read([output("a")]), knownOf()), true);
});

test("an output without its call continues a turn, though by mistake", () => {
  assert.equal(continuesTurn(read([output("z")]), knownOf({ waiting: [] })), true);
  assert.equal(continuesTurn(read([user, output("z")]), knownOf()), true);
});

test("text, messages and whole exchanges of other calls are a user turn", () => {
  assert.equal(continuesTurn("x", knownOf()), false);
  assert.equal(continuesTurn(read([user]), knownOf()), false);
  assert.equal(continuesTurn(read([user, call("z"), output("z")]), knownOf()), false);
});

test("the outputs of all waiting calls are added, each with a new id", () => {
  assert.deepEqual(answer([output("b", "2"), output("a", "1")]), {
    items: [
      {
        item: { type: "function_call_output", id: "fco_1", call_id: "b", output: "2", status: "completed" },
        carried: false,
        answers: "fc_b",
      },
      {
        item: { type: "function_call_output", id: "fco_2", call_id: "a", output: "1", status: "completed" },
        carried: false,
        answers: "fc_a",
      },
    ],
    warnings: [],
  });
});

test("outputs for only some waiting calls are an error naming the missing ones", () => {
  assertInvalidInput(() => answer([output("a")]), "input", "missing: b.");
  assertInvalidInput(() => answer([user, output("b")]), "input", "missing: a.");
});

test("an output for a call that is not waiting is rejected, naming it", () => {
  assertInvalidInput(
    () => answer([output("a"), output("b"), output("z")]),
    "input",
    "input[2] (function_call_output)",
    '"z"',
    "waiting for an output.",
  );
  assertInvalidInput(() => answer([output("z")]), "input", "input[0]", '"z"', "waiting for an output.");
  assertInvalidInput(() => answer([output("a")], [], { waiting: [] }), "input", '"a"');
});

test("a call answered twice is rejected", () => {
  assertInvalidInput(() => answer([output("a"), output("b"), output("a")]), "input", "input[2]", "twice");
});

test("resent history is ignored with one warning, even items that are errors in a user turn", () => {
  const resent = [
    user,
    { role: "assistant", content: "y" },
    call("a"),
    call("b"),
    { type: "reasoning" },
    { type: "x" },
  ];
  assert.deepEqual(answeredIds([...resent, output("a"), output("b")]), ["a", "b"]);
  const { warnings } = answer([...resent, output("a"), output("b")]);
  assert.equal(warnings.length, 1);
  assert.deepEqual({ ...warnings[0], message: "" }, { code: "input_items_ignored", message: "", param: "input" });
  assert.match(warnings[0]?.message ?? "", /^6 input items .* were ignored/);
});

test("an output resent from an earlier round is ignored, with its call or without", () => {
  assert.deepEqual(answeredIds([call("old"), output("old"), output("a"), output("b")]), ["a", "b"]);
  assert.deepEqual(answeredIds([output("old"), output("a"), output("b")], ["old"]), ["a", "b"]);
  assert.match(
    answer([output("old"), output("a"), output("b")], ["old"]).warnings[0]?.message ?? "",
    /^1 input item .* was/,
  );
});

test("an output resent from an earlier round alone continues nothing", () => {
  assertInvalidInput(() => answer([output("old")], ["old"]), "input", '"old"');
});

test("a user turn while calls wait is an error naming them and the three ways to go on", () => {
  const ways = ["a, b", "function_call_output", '"svc:unanswered_calls": "drop"', "delete", "resp_9"];
  assertInvalidInput(() => assertNoCallsWaiting([waitingOf()]), "input", ...ways);
  assertNoCallsWaiting([waitingOf({ calls: [] })]);
  assertNoCallsWaiting([waitingOf({ requiresOutputs: false })]);
});

test("a user turn or outputs while calls are being answered are rejected, naming the response that answers", () => {
  for (const requiresOutputs of [true, false]) {
    const latest = waitingOf({ answeredBy: "resp_10", requiresOutputs });
    assertInvalidInput(() => assertNoCallsWaiting([latest]), "input", "resp_10 is answering", "a, b", "drop");
    assertInvalidInput(
      () => assertNotBeingAnswered(read([user, output("b")]), knownOf({ waiting: [latest] })),
      "input",
      "input[1]",
      "resp_10",
      '"b"',
    );
    assertNotBeingAnswered(read([user, output("z")]), knownOf({ waiting: [latest] }));
  }
  assertNotBeingAnswered(read([output("a")]), knownOf());
});

test("an output for a closed call is rejected, naming the turn that went on without it", () => {
  const closed = [{ callId: "z", isAnswered: false, closedBy: "resp_8" }] as const;
  assertInvalidInput(
    () => answer([output("z")], [], { settledCalls: closed }),
    "input",
    "input[0]",
    '"z" is closed',
    "resp_8",
  );
});

const other = waitingOf({
  madeBy: "resp_8",
  turnId: "resp_8",
  calls: [callItem("c"), { ...callItem("a"), id: "fc_other" }],
});

test("outputs may answer the calls of several turns, of each all or none", () => {
  const both = { waiting: [waitingOf(), { ...other, calls: other.calls.slice(0, 1) }] };
  const items = answer([output("c"), output("a"), output("b")], [], both).items;
  assert.deepEqual(
    items.map(({ answers }) => answers),
    ["fc_c", "fc_a", "fc_b"],
  );
  assert.equal(answer([output("c")], [], both).items.length, 1);
  assertInvalidInput(() => answer([output("c"), output("a")], [], both), "input", "missing: b.");
  assert.deepEqual(
    listAnswered(read([output("c"), output("b")]), knownOf(both)).map(({ madeBy }) => madeBy),
    ["resp_9", "resp_8"],
  );
});

test("an output for a call_id that several responses wait for is rejected, naming them", () => {
  const ambiguousCalls = [{ callId: "a", madeBy: ["resp_9", "resp_8"] as const }];
  const known = { waiting: [waitingOf(), other], ambiguousCalls };
  const names = ["input[0]", '"a"', "previous_response_id", "resp_9, resp_8"];
  assertInvalidInput(() => answer([output("a"), output("b")], [], known), "input", ...names);
  assert.equal(continuesTurn(read([call("a"), output("a")]), knownOf(known)), true);
});

test("an output for a settled call belongs to no other call with its call_id", () => {
  const settledCalls = [{ callId: "a", isAnswered: true, closedBy: null }];
  assertInvalidInput(() => answer([output("a")], [], { settledCalls }), "input", '"a" is waiting');
});

test("beside other outputs, one for a settled call is ignored if that call has its output", () => {
  const sent = [output("z"), output("a"), output("b")];
  const settled = (isAnswered: boolean) => ({
    settledCalls: [{ callId: "z", isAnswered, closedBy: "resp_8" as const }],
  });
  assert.equal(answer(sent, [], settled(true)).items.length, 2);
  assertInvalidInput(() => answer(sent, ["z"], settled(false)), "input", '"z" is closed');
});

test("a user turn while calls of several turns wait is an error naming each with its response", () => {
  const names = ["a (of resp_9), b (of resp_9), c (of resp_8)", "delete the responses resp_9, resp_8"];
  assertInvalidInput(() => assertNoCallsWaiting([waitingOf(), other]), "input", ...names);
  const many = waitingOf({ calls: Array.from({ length: 30 }, (_, at) => callItem(`${at}`)) });
  assertInvalidInput(() => assertNoCallsWaiting([many]), "input", "18, 19 and 10 more.");
});
