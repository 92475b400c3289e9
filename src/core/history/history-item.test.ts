import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../../contract/items.ts";
import { assistantMessage, callItem, outputItem, userMessage } from "../../../test/support/responses.ts";
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
const cited = (text: string, url: string, title: string): Item => {
  const annotations = [{ type: "url_citation" as const, url, title, start_index: 0, end_index: 2 }];
  const content = [{ type: "output_text" as const, text, annotations, logprobs: [] }];
  return { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
};
const emptyParts = (count: number): Item => ({
  type: "message",
  id: "msg_1",
  role: "user",
  status: "completed",
  content: Array.from({ length: count }, () => ({ type: "input_text", text: "" })),
});
const sizes: readonly (readonly [string, Item, number])[] = [
  ["a message counts its text", userMessage("msg_1", "Hi 😀"), 4],
  ["an answer counts its text", assistantMessage("msg_1", ""), 0],
  ["a message counts all its parts, a refusal too", mixed, 5],
  ["citations longer than their text count for it", cited("12", "https://a.example", "Title"), 23],
  ["citations shorter than their text count nothing", cited("x".repeat(30), "https://a.example", "Title"), 30],
  ["a call counts its name and arguments", callItem("c", "add", '{"a":1}'), 10],
  ["an output counts its text", outputItem("c", "12345"), 5],
  ["a call_id as long as ids are counts nothing", callItem("c".repeat(64), "add", "{}"), 5],
  ["of a longer call_id the rest counts", callItem("c".repeat(1064), "add", "{}"), 1005],
  ["of the longer call_id of an output too", outputItem("c".repeat(1064), "12345"), 1005],
  ["parts without text count as many characters as they are, but for the first", emptyParts(1000), 999],
  [
    "reasoning counts nothing: it is never sent",
    { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "long" }], encrypted_content: "e" },
    0,
  ],
];
for (const [name, item, size] of sizes) {
  test(name, () => assert.equal(itemSize(item), size));
}
