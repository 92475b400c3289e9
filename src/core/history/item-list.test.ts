import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../../contract/items.ts";
import type { ItemList } from "../../contract/resources.ts";
import { apiErrorOf, userMessage } from "../../../test/support/responses.ts";
import { type ListedItem, presentItemList, presentStoredItem } from "./item-list.ts";

const readable = (item: Item): ListedItem => ({ readable: true, id: item.id, text: JSON.stringify(item) });
const listOf = (...page: Parameters<typeof presentItemList>) =>
  JSON.parse(presentItemList(...page).join("")) as ItemList;
const itemOf = (...stored: Parameters<typeof presentStoredItem>) =>
  JSON.parse(presentStoredItem(...stored).join("")) as Item;
const broken: ListedItem = { readable: false, id: "msg_9", message: "it is damaged" };
const first = userMessage("msg_1", "a");
const second = userMessage("msg_2", "b");
const reasoning: Item = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "e" };

test("an empty page has empty ids and no svc:unreadable", () => {
  assert.deepEqual(listOf([], false, false), {
    object: "list",
    data: [],
    first_id: "",
    last_id: "",
    has_more: false,
  });
});

test("a page names its first and its last item and says whether more follow", () => {
  assert.deepEqual(listOf([readable(first), readable(second)], true, false), {
    object: "list",
    data: [first, second],
    first_id: "msg_1",
    last_id: "msg_2",
    has_more: true,
  });
});

test("an unreadable item is listed apart from the others", () => {
  const page = listOf([broken, readable(first), broken], false, false);
  assert.deepEqual([page.data, page.first_id, page.last_id], [[first], "msg_1", "msg_1"]);
  const entry = { type: "item_unreadable", id: "msg_9", message: "it is damaged" };
  assert.deepEqual(page["svc:unreadable"], [entry, entry]);
});

test("retrieved by itself it is 500 item_unreadable with the same text", () => {
  const refusal = apiErrorOf(() => presentStoredItem(broken, false));
  assert.deepEqual([refusal.code, refusal.status, refusal.message], ["item_unreadable", 500, "it is damaged"]);
  assert.deepEqual(itemOf(readable(first), false), first);
});

test("encrypted reasoning appears only on request", () => {
  assert.deepEqual(listOf([readable(reasoning)], false, true).data, [reasoning]);
  assert.deepEqual(listOf([readable(reasoning)], false, false).data, [{ type: "reasoning", id: "rs_1", summary: [] }]);
  assert.deepEqual(itemOf(readable(reasoning), true), reasoning);
});

test("text passes through as stored, and the text of a message is not mistaken for a field name", () => {
  const quoting = userMessage("msg_1", 'the field "encrypted_content": is "secret"');
  const text = JSON.stringify(quoting, null, 1);
  assert.deepEqual(presentStoredItem({ readable: true, id: "msg_1", text }, false), [text]);
  assert.deepEqual(listOf([{ readable: true, id: "msg_1", text }], false, false).data, [quoting]);
});
