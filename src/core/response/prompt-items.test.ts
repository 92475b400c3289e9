import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../../contract/items.ts";
import { assistantMessage, callItem, outputItem, userMessage } from "../../../test/support/responses.ts";
import { toPromptItems } from "./prompt-items.ts";
import { source, stateOf } from "../../../test/support/prompt-items.ts";

const prompt = (...items: Item[]) =>
  toPromptItems(
    items.map((item) => source(item)),
    [],
  );
const said = (text: string) => ({ type: "message", role: "user", text });
const answered = (text: string) => ({ type: "assistant", text, isRefusal: false, phase: null });
const called = (callId: string, name: string | null = "look_up") => ({ type: "call", callId, name, arguments: "{}" });
const result = (callId: string, output: string, name: string | null = "look_up") => ({
  type: "result",
  callId,
  name,
  output,
});
const reasoning: Item = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hidden" }] };

test("messages keep their order", () => {
  assert.deepEqual(prompt(userMessage("msg_1", "a"), assistantMessage("msg_2", "b"), userMessage("msg_3", "c")), [
    said("a"),
    answered("b"),
    said("c"),
  ]);
});

test("system and developer messages keep their roles", () => {
  const message = (role: "system" | "developer"): Item => ({
    type: "message",
    id: "msg_1",
    role,
    status: "completed",
    content: [{ type: "input_text", text: role }],
  });
  assert.deepEqual(prompt(message("system"), message("developer")), [
    { type: "message", role: "system", text: "system" },
    { type: "message", role: "developer", text: "developer" },
  ]);
});

test("parts are joined with newlines; empty ones and empty messages are left out", () => {
  const message = (texts: string[]): Item => ({
    type: "message",
    id: "msg_1",
    role: "user",
    status: "completed",
    content: texts.map((text) => ({ type: "input_text", text })),
  });
  assert.deepEqual(prompt(message(["a", "", "b"]), message([""]), message([]), assistantMessage("msg_2", "")), [
    said("a\nb"),
  ]);
});

test("a refusal is marked as one, with text or without", () => {
  const refused = (texts: string[], refusal: string): Item => ({
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [
      ...texts.map((text) => ({ type: "output_text" as const, text, annotations: [], logprobs: [] })),
      { type: "refusal", refusal },
    ],
    phase: "final_answer",
  });
  assert.deepEqual(prompt(refused(["Well"], "I can't"), refused([], "")), [
    { type: "assistant", text: "Well\nI can't", isRefusal: true, phase: "final_answer" },
    { type: "assistant", text: "", isRefusal: true, phase: "final_answer" },
  ]);
});

test("reasoning is never sent", () => assert.deepEqual(prompt(reasoning, userMessage("msg_1", "a")), [said("a")]));

test("results follow the calls of their round", () => {
  assert.deepEqual(
    prompt(callItem("a"), callItem("b"), outputItem("b", "2"), outputItem("a", "1"), userMessage("m", "x")),
    [called("a"), called("b"), result("a", "1"), result("b", "2"), said("x")],
  );
});

test("rounds stay apart: calls, their results, the next calls, theirs", () => {
  assert.deepEqual(prompt(callItem("a"), outputItem("a", "1"), callItem("b"), outputItem("b", "2")), [
    called("a"),
    result("a", "1"),
    called("b"),
    result("b", "2"),
  ]);
});

test("a result moves next to its call when another turn came between", () => {
  assert.deepEqual(
    prompt(callItem("a"), userMessage("msg_1", "x"), assistantMessage("msg_2", "y"), outputItem("a", "1")),
    [called("a"), result("a", "1"), said("x"), answered("y")],
  );
});

/** Items of one response. */
const itemsOf = (responseId: `resp_${string}`, ...items: Item[]) => items.map((item) => source(item, { responseId }));

test("a round whose result came after another turn moves there: no other turn's text follows its result", () => {
  const sources = [
    ...itemsOf("resp_1", userMessage("msg_1", "a"), assistantMessage("msg_2", "let me see"), callItem("a")),
    ...itemsOf("resp_2", userMessage("msg_3", "x"), assistantMessage("msg_4", "y")),
    source(outputItem("a", "1")),
  ];
  const round = [stateOf("one", "a"), answered("let me see"), called("a"), result("a", "1")];
  assert.deepEqual(toPromptItems(sources, [{ responseId: "resp_1", state: "one" }]), [
    said("a"),
    said("x"),
    answered("y"),
    ...round,
  ]);
  assert.deepEqual(
    toPromptItems([...sources, ...itemsOf("resp_3", assistantMessage("msg_5", "so"))], []),
    [said("a"), said("x"), answered("y"), ...round.slice(1), answered("so")],
    "and so it does in later turns",
  );
});

test("what a client added while a call waited keeps its place behind the call, and its result comes before it", () => {
  const round = itemsOf("resp_1", userMessage("msg_1", "a"), assistantMessage("msg_2", "let me see"), callItem("a"));
  const added = [
    source(assistantMessage("msg_3", "one moment")),
    source(userMessage("msg_4", "x")),
    source(callItem("b"), { carried: true }),
    source(outputItem("b", "2"), { carried: true, answers: "fc_b" }),
  ];
  const output = source(outputItem("a", "1"), { answers: "fc_a" });
  const called_a = [said("a"), answered("let me see"), called("a"), result("a", "1")];
  const asAdded = [answered("one moment"), said("x"), called("b", null), result("b", "2", null)];
  assert.deepEqual(toPromptItems([...round, ...added, output], []), [...called_a, ...asAdded]);
  const other = itemsOf("resp_2", userMessage("msg_5", "y"), assistantMessage("msg_6", "z"));
  assert.deepEqual(
    toPromptItems([...round, ...added, ...other, output], []),
    [said("a"), ...asAdded, said("y"), answered("z"), answered("let me see"), called("a"), result("a", "1")],
    "unless the call itself moves, behind another turn",
  );
});

test("a round without results is left out, and one with several moves to the last", () => {
  const calls = itemsOf("resp_1", userMessage("msg_1", "a"), callItem("a"), callItem("b"));
  const other = itemsOf("resp_2", userMessage("msg_2", "x"), assistantMessage("msg_3", "y"));
  const [first, last] = [source(outputItem("a", "1")), source(outputItem("b", "2"))];
  assert.deepEqual(toPromptItems([...calls, ...other], []), [said("a"), said("x"), answered("y")]);
  assert.deepEqual(toPromptItems([...calls, first, ...other, last], []), [
    said("a"),
    said("x"),
    answered("y"),
    called("a"),
    called("b"),
    result("a", "1"),
    result("b", "2"),
  ]);
});

test("texts between the calls of a round and after them move before them: its calls stay one round", () => {
  const text = (words: string) => assistantMessage(`msg_${words}`, words);
  const sources = [
    ...itemsOf(
      "resp_1",
      userMessage("msg_1", "x"),
      callItem("a"),
      text("one"),
      callItem("b"),
      text("two"),
      text("three"),
    ),
    ...itemsOf("resp_2", outputItem("a", "1"), outputItem("b", "2"), text("done")),
  ];
  const prompted = [
    said("x"),
    answered("one"),
    answered("two"),
    answered("three"),
    called("a"),
    called("b"),
    result("a", "1"),
    result("b", "2"),
    answered("done"),
  ];
  assert.deepEqual(toPromptItems(sources, []), prompted);
  assert.deepEqual(toPromptItems(sources.slice(0, -1), []), prompted.slice(0, -1));
});

test("reasoning between calls does not separate them", () => {
  assert.deepEqual(prompt(callItem("a"), reasoning, callItem("b"), outputItem("a", "1"), outputItem("b", "2")), [
    called("a"),
    called("b"),
    result("a", "1"),
    result("b", "2"),
  ]);
});

test("more adjacent exchanges than a function takes arguments are sent like a few", () => {
  const count = 150_000;
  const callIds = Array.from({ length: count }, (_, index) => `c${index}`);
  const items = [...callIds.map((callId) => callItem(callId)), ...callIds.map((callId) => outputItem(callId, "1"))];
  assert.equal(prompt(...items.slice(0, 2), ...items.slice(count, count + 2)).length, 4);
  assert.equal(
    toPromptItems(
      items.map((item) => source(item)),
      [],
    ).length,
    2 * count,
  );
});

test("half an exchange is left out: a call without result, a result without call", () => {
  assert.deepEqual(prompt(callItem("a"), userMessage("m", "x"), outputItem("b", "2")), [said("x")]);
});

test("the tool name of a carried exchange is not sent", () => {
  const carried = { carried: true };
  const items = toPromptItems([source(callItem("a"), carried), source(outputItem("a", "1"), carried)], []);
  assert.deepEqual(items, [called("a", null), result("a", "1", null)]);
});

test("a round's state precedes its output, once; rounds without output have none", () => {
  const first = { responseId: "resp_1" } as const;
  const second = { responseId: "resp_2" } as const;
  const items = toPromptItems(
    [
      source(userMessage("msg_1", "x"), first),
      source(reasoning, first),
      source(assistantMessage("msg_2", "let me see"), first),
      source(callItem("a"), first),
      source(outputItem("a", "1"), second),
      source(callItem("b"), second),
      source(outputItem("b", "2")),
    ],
    [
      { responseId: "resp_1", state: "one" },
      { responseId: "resp_2", state: "two" },
      { responseId: "resp_3", state: "three" },
    ],
  );
  assert.deepEqual(items, [
    said("x"),
    stateOf("one", "a"),
    answered("let me see"),
    called("a"),
    result("a", "1"),
    stateOf("two", "b"),
    called("b"),
    result("b", "2"),
  ]);
});

test("a round's state never precedes its carried input", () => {
  const of = { responseId: "resp_1" } as const;
  const items = toPromptItems(
    [
      source(reasoning, of),
      source(callItem("old"), { ...of, carried: true }),
      source(outputItem("old", "0"), { ...of, carried: true }),
      source(userMessage("msg_1", "x"), of),
      source(callItem("a"), of),
      source(outputItem("a", "1")),
    ],
    [{ responseId: "resp_1", state: "one" }],
  );
  assert.deepEqual(items, [
    called("old", null),
    result("old", "0", null),
    said("x"),
    stateOf("one", "a"),
    called("a"),
    result("a", "1"),
  ]);
});
