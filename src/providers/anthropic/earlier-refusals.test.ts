import assert from "node:assert/strict";
import test from "node:test";
import type { PromptItem } from "../../core/response/prompt.ts";
import { userMessage } from "../../../test/support/provider-samples.ts";
import { leaveOutRefusals } from "./earlier-refusals.ts";

const answer = (text: string, isRefusal = false): PromptItem => ({ type: "assistant", text, isRefusal, phase: null });
const system = (text: string): PromptItem => ({ type: "message", role: "system", text });
const call: PromptItem = { type: "call", callId: "c", name: "look", arguments: "{}" };
const result: PromptItem = { type: "result", callId: "c", name: "look", output: "seen" };

test("an exchange that ended in a refusal is left out as a whole, from its user message to the next", () => {
  const rows: [PromptItem[], PromptItem[], number][] = [
    [[userMessage("1"), answer("one"), userMessage("2")], [userMessage("1"), answer("one"), userMessage("2")], 0],
    [[userMessage("1"), answer("", true), userMessage("2")], [userMessage("2")], 1],
    [
      [userMessage("1"), answer("one"), userMessage("2"), call, result, answer("Well", true), userMessage("3")],
      [userMessage("1"), answer("one"), userMessage("3")],
      1,
    ],
    [[userMessage("1"), answer("", true), userMessage("2"), answer("", true), userMessage("3")], [userMessage("3")], 2],
    // System and developer messages are not part of the exchange.
    [
      [userMessage("1"), system("Be kind."), answer("", true), userMessage("2")],
      [system("Be kind."), userMessage("2")],
      1,
    ],
    [[answer("", true), userMessage("1")], [userMessage("1")], 1],
    // The newest exchange stays, whatever its earlier rounds contain.
    [[userMessage("1"), answer("No", true), call, result], [userMessage("1"), answer("No", true), call, result], 0],
  ];
  for (const [items, kept, leftOut] of rows) assert.deepEqual(leaveOutRefusals(items), { items: kept, leftOut });
});

test("user messages behind results belong to the exchange of their calls, however many there are", () => {
  const refused = [userMessage("1"), answer("No", true), call, result];
  const behind = [system("Be kind."), userMessage("2"), userMessage("3")];
  assert.deepEqual(leaveOutRefusals([...refused, ...behind]), { items: [...refused, ...behind], leftOut: 0 });
  // Once the model has answered, the next message begins another exchange.
  assert.deepEqual(leaveOutRefusals([...refused, ...behind, answer("Well"), userMessage("4")]), {
    items: [system("Be kind."), userMessage("4")],
    leftOut: 1,
  });
  assert.deepEqual(leaveOutRefusals([userMessage("0"), answer("zero"), ...refused, ...behind]), {
    items: [userMessage("0"), answer("zero"), ...refused, ...behind],
    leftOut: 0,
  });
});
