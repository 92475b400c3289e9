import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../../contract/items.ts";
import { answerMessage, callItem, outputItem, userMessage } from "../../../test/support/turns.ts";
import { itemSize } from "./history-item.ts";

const mixed: Item = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [
    { type: "output_text", text: "12", annotations: [], logprobs: [] },
    { type: "refusal", refusal: "345" },
  ],
};
const sizes: readonly (readonly [string, Item, number])[] = [
  ["a message counts its text", userMessage("msg_1", "Hi 😀"), 4],
  ["an answer counts its text", answerMessage("msg_1", ""), 0],
  ["a message counts all its parts, a refusal too", mixed, 5],
  ["a call counts its name and arguments", callItem("c", "add", '{"a":1}'), 10],
  ["an output counts its text", outputItem("c", "12345"), 5],
  [
    "reasoning counts nothing: it is never sent",
    { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "long" }], encrypted_content: "e" },
    0,
  ],
];
for (const [name, item, size] of sizes) {
  test(name, () => assert.equal(itemSize(item), size));
}
