import assert from "node:assert/strict";
import { test } from "node:test";
import { turnsOfItems, turnsOfResponses } from "./transcript.ts";
import type { Item, Response } from "./v1.ts";

const message = (role: string, text: string) =>
  ({
    type: "message",
    id: `msg_${text}`,
    role,
    status: "completed",
    content: [{ type: "text", text }],
  }) as unknown as Item;
const call = { type: "function_call", id: "fc_1", call_id: "c", name: "f", arguments: "{}" } as unknown as Item;
const output = { type: "function_call_output", id: "fco_1", call_id: "c", output: "7" } as unknown as Item;

test("items of a conversation are turns: what was sent, and what followed it", () => {
  const turns = turnsOfItems("conv_1", [
    message("user", "a"),
    message("user", "b"),
    call,
    output,
    message("assistant", "seven"),
    message("user", "c"),
  ]);
  const texts = turns.map(({ request, items }) => [(request.input as unknown[]).length, items.map(({ id }) => id)]);
  assert.deepEqual(texts, [
    [2, ["fc_1"]],
    [1, ["msg_seven"]],
    [1, []],
  ]);
  assert.deepEqual(
    turns.map(({ id, parent, isRunning }) => [id, parent, isRunning]),
    [
      [1, null, false],
      [2, 1, false],
      [3, 2, false],
    ],
  );
});

test("responses of a chain are turns without their inputs, which can be continued", () => {
  const responses = [{ id: "resp_1", model: "m", output: [message("assistant", "x")] }] as unknown as Response[];
  const [turn] = turnsOfResponses(responses);
  assert.deepEqual([turn?.request.input, turn?.response?.id, turn?.items.length], [[], "resp_1", 1]);
});
