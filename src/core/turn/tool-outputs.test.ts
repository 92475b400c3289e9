import assert from "node:assert/strict";
import { test } from "node:test";
import { assertInvalidInput, callItem, countingMint, headOf } from "../../../test/support/turns.ts";
import { readResentItems } from "../reading/input-items.ts";
import { continuesTurn, readToolOutputs, assertNotBeingAnswered, assertNoCallsWaiting } from "./tool-outputs.ts";
import type { ClosedCall, ContinuedTurn } from "./turn.ts";
import { NO_USAGE } from "../../contract/usage.ts";

const output = (callId: string, text = "42") => ({ type: "function_call_output", call_id: callId, output: text });
const call = (callId: string) => ({ type: "function_call", call_id: callId, name: "add", arguments: "{}" });
const user = { role: "user", content: "x" };
const waiting = [callItem("a"), callItem("b")];

const read = (values: readonly unknown[]) =>
  readResentItems(values, { param: "input", rejectedRoles: { assistant: "no." } });
const answer = (
  values: readonly unknown[],
  answered: readonly string[] = [],
  closedCalls: readonly ClosedCall[] = [],
) => {
  const calls = { waitingCalls: waiting, closedCalls, isAnswered: (callId: string) => answered.includes(callId) };
  return readToolOutputs(read(values), calls, countingMint());
};
const answeredIds = (values: readonly unknown[], answered: readonly string[] = []) =>
  answer(values, answered).items.map(({ item }) => (item.type === "function_call_output" ? item.call_id : item.type));

test("an input with an output for a waiting call continues the turn, whatever else it holds", () => {
  assert.equal(continuesTurn(read([user, call("a"), output("a")]), waiting), true);
  assert.equal(continuesTurn(read([output("a")]), waiting), true);
});

test("an output without its call continues a turn, though by mistake", () => {
  assert.equal(continuesTurn(read([output("z")]), []), true);
  assert.equal(continuesTurn(read([user, output("z")]), waiting), true);
});

test("text, messages and whole exchanges of other calls are a user turn", () => {
  assert.equal(continuesTurn("x", waiting), false);
  assert.equal(continuesTurn(read([user]), waiting), false);
  assert.equal(continuesTurn(read([user, call("z"), output("z")]), waiting), false);
});

test("the outputs of all waiting calls are added, each with a new id", () => {
  assert.deepEqual(answer([output("b", "2"), output("a", "1")]), {
    items: [
      {
        item: { type: "function_call_output", id: "fco_1", call_id: "b", output: "2", status: "completed" },
        carried: false,
      },
      {
        item: { type: "function_call_output", id: "fco_2", call_id: "a", output: "1", status: "completed" },
        carried: false,
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
    "beside the others; outputs of another turn need a request of their own.",
  );
  assertInvalidInput(() => answer([output("z")]), "input", "input[0]", '"z"', "waiting for an output.");
  const nothing = { waitingCalls: [], closedCalls: [], isAnswered: () => false };
  assertInvalidInput(() => readToolOutputs(read([output("a")]), nothing, countingMint()), "input", '"a"');
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

const latestOf = (more: Partial<ContinuedTurn> = {}): ContinuedTurn => ({
  head: headOf({ id: "resp_9" }),
  status: "completed",
  usage: NO_USAGE,
  promptCharacters: null,
  waitingCalls: waiting,
  answeredBy: null,
  firstRound: "resp_9",
  requiresOutputs: true,
  states: [],
  unreadableStates: 0,
  ...more,
});

test("a user turn while calls wait is an error naming them and the three ways to go on", () => {
  const ways = ["a, b", "function_call_output", '"svc:unanswered_calls": "drop"', "delete", "resp_9"];
  assertInvalidInput(() => assertNoCallsWaiting(latestOf()), "input", ...ways);
  assertNoCallsWaiting(latestOf({ waitingCalls: [] }));
  assertNoCallsWaiting(latestOf({ requiresOutputs: false }));
});

test("a user turn or outputs while calls are being answered are rejected, naming the response that answers", () => {
  for (const requiresOutputs of [true, false]) {
    const latest = latestOf({ answeredBy: "resp_10", requiresOutputs });
    assertInvalidInput(() => assertNoCallsWaiting(latest), "input", "resp_10 is answering", "a, b", "drop");
    assertInvalidInput(
      () => assertNotBeingAnswered(read([user, output("b")]), latest),
      "input",
      "input[1]",
      "resp_10",
      '"b"',
    );
    assertNotBeingAnswered(read([user, output("z")]), latest);
  }
  assertNotBeingAnswered(read([output("a")]), latestOf());
});

test("an output for a closed call is rejected, naming the turn that went on without it", () => {
  const closed = [{ callId: "z", closedBy: "resp_8" }] as const;
  assertInvalidInput(() => answer([output("z")], [], closed), "input", "input[0]", '"z" is closed', "resp_8");
});
