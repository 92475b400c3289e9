import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../../contract/items.ts";
import { callItem, outputItem, userMessage } from "../../../test/support/responses.ts";
import { otherCallIds, type PromptSource, toPromptItems } from "./prompt-items.ts";
import { source, stateOf } from "../../../test/support/prompt-items.ts";

const prompt = (...items: Item[]) =>
  toPromptItems(
    items.map((item) => source(item)),
    [],
  );
const said = (text: string) => ({ type: "message", role: "user", text });
const called = (callId: string) => ({ type: "call", callId, name: "look_up", arguments: "{}" });
const result = (callId: string, output: string) => ({ type: "result", callId, name: "look_up", output });

/** A call or an output of the same call_id. */
const again = (id: string): Item => ({ ...callItem("a"), id });
const answering = (id: string, output: string) =>
  source({ ...outputItem("a", output), id: `fco_${id}` }, { answers: id });

test("a result stands under the call that it answers, and calls of the same call_id have different ids", () => {
  const sources = [source(again("fc_1")), source(again("fc_2")), answering("fc_2", "two"), answering("fc_1", "one")];
  assert.deepEqual(toPromptItems(sources, []), [
    called("a"),
    called("fc_2"),
    result("a", "one"),
    result("fc_2", "two"),
  ]);
  const [, second, two] = sources as [PromptSource, PromptSource, PromptSource];
  assert.deepEqual(toPromptItems([source(again("fc_1")), two], []), [], "of a deleted call it stands nowhere");
  assert.deepEqual(toPromptItems([second, two], []), [called("a"), result("a", "two")]);
});

test("ids stay different when a client takes the id of an item as a call_id", () => {
  const named = { ...callItem("fc_2"), id: "fc_0" };
  const sources = [source(named), source(again("fc_1")), source(again("fc_2"))];
  const outputs = ["fc_0", "fc_1", "fc_2"].map((id) => answering(id, id));
  assert.deepEqual(
    toPromptItems([...sources, ...outputs], []).flatMap((item) => (item.type === "call" ? [item.callId] : [])),
    ["fc_2", "a", "fc_2_"],
  );
});

test("a round's state has the ids by which its calls are sent", () => {
  const sources = [
    source(again("fc_1")),
    answering("fc_1", "one"),
    ...[userMessage("msg_1", "x"), again("fc_2"), callItem("b")].map((item) => source(item, { responseId: "resp_1" })),
    answering("fc_2", "two"),
  ];
  assert.deepEqual(toPromptItems(sources, [{ responseId: "resp_1", state: "s" }]).slice(2), [
    said("x"),
    stateOf("s", ["a", "fc_2"]),
    called("fc_2"),
    result("fc_2", "two"),
  ]);
});

test("a new call may repeat no call_id of the history, also of calls that are not sent", () => {
  const sources = [
    source(callItem("unanswered")),
    source(again("fc_1")),
    answering("fc_1", "1"),
    source(callItem("b")),
  ];
  assert.deepEqual(otherCallIds(sources, toPromptItems(sources, [])), ["unanswered", "b"]);
});

test("an output from before links belongs to the call before it; a call with two results has the first", () => {
  const sources = [again("fc_1"), outputItem("a", "1"), outputItem("a", "late"), again("fc_2"), outputItem("a", "2")];
  assert.deepEqual(prompt(...sources), [called("a"), result("a", "1"), called("fc_2"), result("fc_2", "2")]);
});
