import assert from "node:assert/strict";
import { test } from "node:test";
import { isWhole, itemsOf } from "./branch.ts";
import { newTurn, type Turn } from "./turns.ts";
import type { CreateBody, Item, Response } from "./v1.ts";

const message = (text: string) =>
  ({ type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text }] }) as unknown as Item;
const turn = (input: CreateBody["input"], more: Partial<Turn>): Turn => ({
  ...newTurn(1, null, { model: "a/b", input }),
  ...more,
});
const answered = (...output: readonly Item[]) => ({ response: { output } as unknown as Response });

test("a path is what was sent and answered, without reasoning, ids and turns that got an error", () => {
  const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: "{}" } as unknown as Item;
  const refusal = { type: "message", content: [{ type: "refusal", refusal: "No." }] } as unknown as Item;
  const output = { type: "function_call_output" as const, call_id: "call_1", output: "4" };
  const path = [
    turn("Hello", answered({ type: "reasoning", summary: [] } as unknown as Item, message("Hi"), call)),
    turn([output], answered(message("Four"))),
    turn("rejected", { failure: new Error("400") }),
    turn([{ type: "message", role: "user", content: "More" }], { isReadBack: true, items: [refusal] }),
  ];
  assert.deepEqual(itemsOf(path), [
    { type: "message", role: "user", content: "Hello" },
    { type: "message", role: "assistant", content: "Hi" },
    { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" },
    output,
    { type: "message", role: "assistant", content: "Four" },
    { type: "message", role: "user", content: "More" },
    { type: "message", role: "assistant", content: "No." },
  ]);
});

test("a path whose inputs were not given back is not whole", () => {
  assert.equal(isWhole([turn("Hello", {})]), true);
  assert.equal(isWhole([turn("Hello", {}), turn([], { isReadBack: true })]), false);
});
