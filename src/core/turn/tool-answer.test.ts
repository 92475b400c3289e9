import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRefuses, callItem, countingMint } from "../../../test/support/turns.ts";
import { readResentItems } from "../reading/input-items.ts";
import { isToolAnswer, readToolAnswer, refuseWhileWaiting } from "./tool-answer.ts";

const output = (callId: string, text = "42") => ({ type: "function_call_output", call_id: callId, output: text });
const call = (callId: string) => ({ type: "function_call", call_id: callId, name: "add", arguments: "{}" });
const user = { role: "user", content: "x" };
const waiting = [callItem("a"), callItem("b")];

const read = (values: readonly unknown[]) =>
  readResentItems(values, { param: "input", refusedRoles: { assistant: "no." } });
const answer = (values: readonly unknown[], answered: readonly string[] = []) =>
  readToolAnswer(read(values), waiting, (callId) => answered.includes(callId), countingMint());
const answeredIds = (values: readonly unknown[], answered: readonly string[] = []) =>
  answer(values, answered).items.map(({ item }) => (item.type === "function_call_output" ? item.call_id : item.type));

test("an input that holds an output for a waiting call is a tool answer, whatever else it holds", () => {
  assert.equal(isToolAnswer(read([user, call("a"), output("a")]), waiting), true);
  assert.equal(isToolAnswer(read([output("a")]), waiting), true);
});

test("an output without its call is a tool answer, though a wrong one", () => {
  assert.equal(isToolAnswer(read([output("z")]), []), true);
  assert.equal(isToolAnswer(read([user, output("z")]), waiting), true);
});

test("text, messages and whole exchanges of other calls are a user turn", () => {
  assert.equal(isToolAnswer("x", waiting), false);
  assert.equal(isToolAnswer(read([user]), waiting), false);
  assert.equal(isToolAnswer(read([user, call("z"), output("z")]), waiting), false);
});

test("the outputs of all waiting calls are the answer, each stored with an id of ours", () => {
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

test("outputs for some waiting calls are refused, naming the missing ones", () => {
  assertRefuses(() => answer([output("a")]), "input", "missing: b.");
  assertRefuses(() => answer([user, output("b")]), "input", "missing: a.");
});

test("an output for a call that is not waiting is refused, naming it", () => {
  assertRefuses(
    () => answer([output("a"), output("b"), output("z")]),
    "input",
    "input[2] (function_call_output)",
    '"z"',
    "beside the others; outputs of another turn need a request of their own.",
  );
  assertRefuses(() => answer([output("z")]), "input", "input[0]", '"z"', "waiting for an output.");
  assertRefuses(() => readToolAnswer(read([output("a")]), [], () => false, countingMint()), "input", '"a"');
});

test("a call answered twice is refused", () => {
  assertRefuses(() => answer([output("a"), output("b"), output("a")]), "input", "input[2]", "twice");
});

test("resent history is ignored and said in one warning, what can't be read too", () => {
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

test("an output resent from an earlier round alone answers nothing", () => {
  assertRefuses(() => answer([output("old")], ["old"]), "input", '"old"');
});

test("a user turn while calls wait is refused, naming them and the two ways on", () => {
  assertRefuses(
    () => refuseWhileWaiting(waiting, "resp_9"),
    "input",
    "a, b",
    "function_call_output",
    "delete",
    "resp_9",
  );
  refuseWhileWaiting([], "resp_9");
});
