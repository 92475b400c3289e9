import assert from "node:assert/strict";
import { test } from "node:test";
import { MESSAGE_ROLES, UNSUPPORTED_PART_TYPES, TEXT_PART_TYPES } from "../../contract/items.ts";
import { assertInvalidInput } from "../../../test/support/responses.ts";
import { readInputItems, readResentItems } from "./input-items.ts";

const field = { param: "items", rejectedRoles: {} } as const;
const read = (value: unknown) => readInputItems([value], field)[0];
const text = { type: "input_text", text: "x" };

const accepted: readonly (readonly [unknown, object])[] = [
  [
    { role: "user", content: "Hi" },
    { type: "message", role: "user", content: "Hi", phase: null },
  ],
  [
    { type: "message", role: "user", content: "" },
    { type: "message", role: "user", content: "", phase: null },
  ],
  [
    { type: "message", role: "user", content: [] },
    { type: "message", role: "user", content: [], phase: null },
  ],
  // The shape that the service itself returns: its id, status, annotations and logprobs are ignored.
  [
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      phase: "final_answer",
      content: [{ type: "output_text", text: "x", annotations: [], logprobs: [] }],
    },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "x" }], phase: "final_answer" },
  ],
  [
    { type: null, role: "user", content: "x", phase: null },
    { type: "message", role: "user", content: "x", phase: null },
  ],
  [
    { type: "function_call", id: "fc_1", call_id: "c", name: "n", arguments: "{}", status: "completed" },
    { type: "function_call", callId: "c", name: "n", arguments: "{}" },
  ],
  [
    { type: "function_call", call_id: "c", name: "n", arguments: "" },
    { type: "function_call", callId: "c", name: "n", arguments: "" },
  ],
  [
    { type: "function_call_output", call_id: "c", output: "" },
    { type: "function_call_output", callId: "c", output: "" },
  ],
  [
    { type: "function_call_output", call_id: "c", output: [text, { type: "text", text: "y" }] },
    { type: "function_call_output", callId: "c", output: "x\ny" },
  ],
  [{ type: "reasoning" }, { type: "reasoning", summary: [], content: null, encryptedContent: null }],
  [
    {
      type: "reasoning",
      id: "rs_1",
      summary: [{ type: "summary_text", text: "s" }],
      content: [{ type: "reasoning_text", text: "r" }],
      encrypted_content: "e",
    },
    { type: "reasoning", summary: ["s"], content: ["r"], encryptedContent: "e" },
  ],
  [
    { type: "item_reference", id: "msg_1" },
    { type: "item_reference", id: "msg_1" },
  ],
  [{ id: "msg_1" }, { type: "item_reference", id: "msg_1" }],
];
for (const [value, item] of accepted) {
  test(`${JSON.stringify(value).slice(0, 90)} is read`, () => assert.deepEqual(read(value), { ...item, index: 0 }));
}

for (const role of MESSAGE_ROLES) {
  test(`a message of the role ${role} is read`, () => {
    assert.deepEqual(read({ role, content: "x" }), { type: "message", index: 0, role, content: "x", phase: null });
  });
}

for (const type of TEXT_PART_TYPES) {
  test(`a part of type ${type} is read as text`, () => {
    assert.deepEqual(read({ role: "user", content: [{ type, text: "x", extra: 1 }] }), {
      type: "message",
      index: 0,
      role: "user",
      content: [{ type, text: "x" }],
      phase: null,
    });
  });
}

/** Invalid items, each the second of its request, and words of the message. */
const rejected: readonly (readonly [unknown, ...string[]])[] = [
  ["Hi", "items[1]", '"Hi"'],
  [null, "items[1]", "null"],
  [["x"], "items[1]", "an array"],
  [{}, "items[1] (no type)"],
  [{ type: 5, role: "user", content: "x" }, "items[1] (the type is 5)"],
  [{ type: ["message"], role: "user", content: "x" }, "items[1] (the type is an array)"],
  [{ type: "x".repeat(65) }, `items[1] (${"x".repeat(64)}…)`],
  [{ type: "web_search_call" }, "items[1] (web_search_call)", "not accepted"],
  [{ type: "computer_call_output" }, "items[1] (computer_call_output)"],
  [{ type: "compaction" }, "items[1] (compaction)"],
  [{ type: "message", content: "x" }, "items[1] (message)", "role", "nothing"],
  [{ role: "tool", content: "x" }, "items[1] (message)", '"tool"', "user, assistant, system, developer"],
  [{ role: "user" }, "items[1] (message)", "content", "nothing"],
  [{ role: "user", content: "x", phase: "unheard_of" }, "phase", "commentary, final_answer", '"unheard_of"'],
  [{ role: "assistant", content: "x", phase: 5 }, "items[1] (message)", "phase", "5"],
  [{ role: "user", content: null }, "items[1] (message)", "content", "null"],
  [{ role: "user", content: { text: "x" } }, "items[1] (message)", "content", "an object"],
  [{ role: "user", content: ["x"] }, "items[1] (message)", "content[0]"],
  [{ role: "user", content: [text, {}] }, "items[1] (message)", "content[1]", "nothing"],
  [{ role: "user", content: [{ type: "image_url" }] }, "items[1] (message)", '"image_url"', "input_text"],
  [{ role: "user", content: [{ type: "input_text" }] }, "items[1] (message)", "content[0].text"],
  [{ type: "function_call", name: "n", arguments: "{}" }, "items[1] (function_call)", "call_id"],
  [{ type: "function_call", call_id: "", name: "n", arguments: "{}" }, "items[1] (function_call)", "call_id"],
  [{ type: "function_call", call_id: "c", arguments: "{}" }, "items[1] (function_call)", "name"],
  [{ type: "function_call", call_id: "c", name: "n" }, "items[1] (function_call)", "arguments"],
  [{ type: "function_call", call_id: "c", name: "n", arguments: {} }, "items[1] (function_call)", "arguments"],
  [{ type: "function_call_output", output: "x" }, "items[1] (function_call_output)", "call_id"],
  [{ type: "function_call_output", call_id: 1, output: "x" }, "items[1] (function_call_output)", "call_id"],
  [{ type: "function_call_output", call_id: "c" }, "items[1] (function_call_output)", "output", "nothing"],
  [{ type: "function_call_output", call_id: "c", output: { a: 1 } }, "items[1] (function_call_output)", "output"],
  [
    { type: "function_call_output", call_id: "c", output: [text, { type: "input_image", image_url: "x" }] },
    "items[1] (function_call_output)",
    "output[1]",
    "input_image",
  ],
  [{ type: "reasoning", summary: "x" }, "items[1] (reasoning)", "summary"],
  [{ type: "reasoning", summary: [{ type: "text", text: "x" }] }, "items[1] (reasoning)", "summary[0]"],
  [{ type: "reasoning", content: [{ type: "reasoning_text" }] }, "items[1] (reasoning)", "content[0]"],
  [{ type: "item_reference" }, "items[1] (item_reference)", "id"],
  [{ id: 5 }, "items[1] (item_reference)", "id"],
];
for (const [value, ...says] of rejected) {
  test(`${JSON.stringify(value)?.slice(0, 90)} is rejected, naming its index and type`, () => {
    assertInvalidInput(() => readInputItems([{ role: "user", content: "x" }, value], field), "items", ...says);
  });
}

for (const type of UNSUPPORTED_PART_TYPES) {
  for (const role of MESSAGE_ROLES) {
    test(`a part of type ${type} in a message of role ${role} is rejected, naming the part`, () => {
      const part = { type, text: "x", refusal: "x", image_url: "x", file_url: "x", video_url: "x" };
      assertInvalidInput(
        () => read({ role, content: [text, part] }),
        "items",
        "items[0] (message)",
        "content[1]",
        type,
      );
    });
  }
}

test("a rejected role comes with a hint, before its content is checked", () => {
  const rejecting = { param: "input", rejectedRoles: { system: "send it as instructions." } } as const;
  assertInvalidInput(
    () => readInputItems([{ role: "system", content: 5 }], rejecting),
    "input",
    "input[0] (message): send it as instructions.",
  );
});

test("every item keeps its index", () => {
  const items = readInputItems([{ id: "a" }, { role: "user", content: "" }, { id: "b" }], field);
  assert.deepEqual(
    items.map((item) => item.index),
    [0, 1, 2],
  );
});

test("encrypted_content that is not a string is rejected, not dropped", () => {
  assert.deepEqual(read({ type: "reasoning", encrypted_content: null }), read({ type: "reasoning" }));
  assertInvalidInput(
    () => read({ type: "reasoning", encrypted_content: 5 }),
    "items",
    "encrypted_content must be a string",
  );
});

test("after an invalid resent item only calls and outputs are read, up to an output, and its error is kept", () => {
  const call = { type: "function_call", call_id: "c", name: "f", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "c", output: "x" };
  const resent = readResentItems([{}, { id: "msg_1" }, {}, call, output, { id: "msg_1" }, {}], field);
  assert.deepEqual(
    resent.map((item) => (item.type === "unread" ? item.error.message.slice(0, 8) : item.type)),
    ["items[0]", "items[0]", "items[0]", "function_call", "function_call_output", "item_reference", "items[6]"],
  );
});

test("an invalid resent item keeps its error, an invalid output is rejected", () => {
  const [reference, unread] = readResentItems([{ id: "msg_1" }, { type: "x" }], field);
  assert.equal(reference?.type, "item_reference");
  assert.equal(unread?.type === "unread" ? unread.error.message.startsWith("items[1] (x)") : null, true);
  assertInvalidInput(() => readResentItems([{ type: "function_call_output" }], field), "items", "items[0]");
});
