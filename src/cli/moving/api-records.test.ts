import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonFile } from "./json-values.ts";
import { readApiObjects } from "./api-records.ts";
import type { MovedRecord } from "./records.ts";

const FILE: JsonFile = { name: "file", async *values() {}, digest: () => "" };

/** Reads values, each on a line of its own. */
async function read(values: readonly unknown[], isAllowed = false) {
  const counts = new Map<string, number>();
  async function* lines() {
    for (const [index, value] of values.entries()) yield { line: index + 1, value };
  }
  const records: MovedRecord[] = [];
  for await (const record of readApiObjects(FILE, lines(), { isAllowed, counts })) records.push(record);
  return { records, counts: Object.fromEntries(counts) };
}

const said = (text: string, more: object = {}) => ({
  type: "message",
  id: "msg_1",
  role: "user",
  status: "completed",
  content: [{ type: "input_text", text }],
  ...more,
});
const conversation = (id: string) => ({ id, object: "conversation", created_at: 5, metadata: { a: "1" } });
const message = (thread_id: string, created_at: number, more: object = {}) => ({
  id: "msg_9",
  object: "thread.message",
  thread_id,
  created_at,
  role: "user",
  content: [{ type: "text", text: { value: "Hi", annotations: [] } }],
  ...more,
});

test("items follow the conversation that began last, alone or in lists; one that is named again goes on", async () => {
  const { records, counts } = await read([
    conversation("conv_a"),
    { object: "list", data: [said("one"), said("two")], has_more: true },
    conversation("conv_a"),
    [said("three")],
    conversation("conv_b"),
    said("four"),
  ]);
  assert.deepEqual(
    records.map((record) => (record.kind === "conversation" ? record.id : `${record.line} ${record.item.type}`)),
    ["conv_a", "2 message", "2 message", "4 message", "conv_b", "6 message"],
  );
  assert.deepEqual(records[0], { kind: "conversation", line: 1, id: "conv_a", createdAt: 5, metadata: { a: "1" } });
  assert.deepEqual(counts, {});
});

test("items without a conversation are one conversation", async () => {
  const { records } = await read([{ object: "list", data: [said("one")] }, said("two")]);
  assert.deepEqual(records[0], { kind: "conversation", line: 1, id: null, createdAt: null, metadata: {} });
  assert.equal(records.length, 3);
});

test("an item keeps text, refusal, citations, phase and status; a call keeps its arguments", async () => {
  const citation = { type: "url_citation", url: "https://a.test", title: "A", start_index: 0, end_index: 1 };
  const output = { type: "output_text", text: "So", annotations: [citation], logprobs: [] };
  const answer = said("", {
    role: "assistant",
    status: "incomplete",
    phase: "final_answer",
    content: [output, { type: "refusal", refusal: "No." }],
  });
  const call = {
    type: "function_call",
    id: "fc_1",
    call_id: "c",
    name: "f",
    arguments: '{"a":1}',
    status: "completed",
  };
  const reasoning = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "s" }] };
  const result = { type: "function_call_output", id: "x", call_id: "c", output: "done" };
  const { records } = await read([answer, reasoning, call, result]);
  assert.deepEqual(
    records.flatMap((record) => (record.kind === "item" ? [record.item] : [])),
    [answer, reasoning, call, { ...result, status: "completed" }],
  );
});

test("a text is one part, of the kind of its role; the text parts of an output are joined", async () => {
  const outputs = [
    { type: "input_text", text: "a" },
    { type: "input_text", text: "b" },
  ];
  const { records } = await read([
    { role: "assistant", content: "Hello" },
    { role: "developer", content: "Be brief." },
    { type: "function_call_output", call_id: "c", output: outputs },
  ]);
  const items = records.flatMap((record) => (record.kind === "item" ? [record.item] : []));
  assert.deepEqual(
    items.map((item) => (item.type === "message" ? item.content : "output" in item ? item.output : null)),
    [
      [{ type: "output_text", text: "Hello", annotations: [], logprobs: [] }],
      [{ type: "input_text", text: "Be brief." }],
      "a\nb",
    ],
  );
});

test("messages of threads become messages of a conversation for each thread", async () => {
  const cited = { value: "So [1]", annotations: [{ type: "file_citation" }] };
  const { records, counts } = await read([
    { id: "thread_1", object: "thread", created_at: 3, metadata: { b: "2" } },
    message("thread_1", 4),
    message("thread_1", 4, { role: "assistant", content: [{ type: "text", text: cited }], metadata: { c: "3" } }),
    { object: "list", data: [message("thread_2", 1, { attachments: [{ file_id: "f" }] })] },
  ]);
  assert.deepEqual(
    records.map((record) =>
      record.kind === "conversation"
        ? [record.id, record.createdAt, record.metadata]
        : record.item.type === "message" && [record.item.role, record.item.content],
    ),
    [
      ["thread_1", 3, { b: "2" }],
      ["user", [{ type: "input_text", text: "Hi" }]],
      ["assistant", [{ type: "output_text", text: "So [1]", annotations: [], logprobs: [] }]],
      ["thread_2", 1, {}],
      ["user", [{ type: "input_text", text: "Hi" }]],
    ],
  );
  assert.deepEqual(counts, {
    "metadata of messages": 1,
    "annotations of the type file_citation": 1,
    "attachments of messages": 1,
  });
});

const image = { type: "input_image", image_url: "https://a.test" };

const wrong: readonly (readonly [string, unknown, RegExp])[] = [
  [
    "an image",
    said("", { content: [image] }),
    /^file:2: content\[0\]: parts of the type input_image can't be imported; --leave-out/,
  ],
  ["a search", { type: "web_search_call", id: "ws_1" }, /^file:2: items of the type web_search_call can't be imported/],
  ["a run", { object: "thread.run", id: "run_1" }, /^file:2: items of the type thread.run can't be imported/],
  ["another role", said("", { role: "critic" }), /^file:2: messages of the role "critic" can't be imported/],
  [
    "an image of a tool",
    { type: "function_call_output", call_id: "c", output: [image] },
    /^file:2: parts of the type input_image/,
  ],
];
for (const [what, value, expected] of wrong) {
  test(`${what} is an error, or is left out and counted`, async () => {
    await assert.rejects(read([said("first"), value]), { message: expected });
    const { counts } = await read([said("first"), value], true);
    assert.ok(Object.values(counts).includes(1));
  });
}

test("a message of which nothing is left is left out", async () => {
  const { records, counts } = await read([said("one"), said("", { content: [image] })], true);
  assert.equal(records.length, 2);
  assert.equal(counts["messages without text"], 1);
});

const invalid: readonly (readonly [string, readonly unknown[], RegExp])[] = [
  ["a list without data", [{ object: "list" }], /^file:1: the list has no data/],
  ["something else", [{ secret: "x" }], /^file:1: the value is neither a conversation nor an item/],
  ["no object in a list", [[said("a"), 7]], /^file:1: \[1\]: 7 is no object/],
  [
    "an item in a list",
    [{ object: "list", data: [said("a"), { type: "function_call", name: "f" }] }],
    /^file:1: data\[1\]: \(function_call\): arguments must be a string/,
  ],
  [
    "a text that is no text",
    [said("", { content: [{ type: "input_text", text: 7 }] })],
    /^file:1: the message is invalid at content\.0/,
  ],
  ["content that is missing", [said("", { content: undefined })], /^file:1: content is missing/],
  [
    "a label that is no text",
    [{ ...conversation("conv_a"), metadata: { a: 1 } }],
    /^file:1: metadata\["a"\] must be a string/,
  ],
  ["a conversation without an id", [{ object: "conversation" }], /^file:1: the conversation has no id/],
  ["a time that is none", [{ ...conversation("conv_a"), created_at: -1 }], /^file:1: created_at is -1/],
  [
    "conversations in pieces",
    [conversation("conv_a"), conversation("conv_b"), conversation("conv_a")],
    /^file:3: conv_a began before/,
  ],
  [
    "newest first",
    [message("thread_1", 5), message("thread_1", 4)],
    /^file:2: the thread.message is older .* order=asc/,
  ],
  ["U+0000", [said("a\0b")], /^file:1: the item contains the character U\+0000/],
];
for (const [what, values, expected] of invalid) {
  test(`${what}: an error that names the line`, () => assert.rejects(read(values, true), { message: expected }));
}
