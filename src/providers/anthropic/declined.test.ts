import assert from "node:assert/strict";
import test from "node:test";
import type { PromptItem } from "../../core/turn/prompt.ts";
import { userMessage } from "../../../test/support/provider-samples.ts";
import { leaveOutDeclined } from "./declined.ts";

const answer = (text: string, declined = false): PromptItem => ({ type: "answer", text, declined, phase: null });
const system = (text: string): PromptItem => ({ type: "message", role: "system", text });
const call: PromptItem = { type: "call", callId: "c", name: "look", arguments: "{}" };
const result: PromptItem = { type: "result", callId: "c", name: "look", output: "seen" };

test("a declined exchange goes as a whole, from its question to the next", () => {
  const rows: [PromptItem[], PromptItem[], number][] = [
    [[userMessage("1"), answer("one"), userMessage("2")], [userMessage("1"), answer("one"), userMessage("2")], 0],
    [[userMessage("1"), answer("", true), userMessage("2")], [userMessage("2")], 1],
    [
      [userMessage("1"), answer("one"), userMessage("2"), call, result, answer("Well", true), userMessage("3")],
      [userMessage("1"), answer("one"), userMessage("3")],
      1,
    ],
    [[userMessage("1"), answer("", true), userMessage("2"), answer("", true), userMessage("3")], [userMessage("3")], 2],
    // What the client told the model is no part of the exchange.
    [
      [userMessage("1"), system("Be kind."), answer("", true), userMessage("2")],
      [system("Be kind."), userMessage("2")],
      1,
    ],
    [[answer("", true), userMessage("1")], [userMessage("1")], 1],
    // What is being answered now stays, whatever came of its earlier rounds.
    [[userMessage("1"), answer("No", true), call, result], [userMessage("1"), answer("No", true), call, result], 0],
  ];
  for (const [items, kept, leftOut] of rows) assert.deepEqual(leaveOutDeclined(items), { items: kept, leftOut });
});
