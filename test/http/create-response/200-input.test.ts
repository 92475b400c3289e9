// POST /v1/responses: how input becomes a response, the table row by row; each error row beside an accepted sibling.
// @spec endpoints/post-responses (How input becomes a response)
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Loose } from "../../support/http-client.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { serviceForFile } from "../../support/service.ts";
import { without } from "../../support/without.ts";

const service = await serviceForFile();

const user = (content: unknown, more = {}) => ({ type: "message", role: "user", content, ...more });

const call = (callId: string) => ({
  type: "function_call",
  call_id: callId,
  name: "secret_name",
  arguments: '{"a":1}',
});

const output = (callId: string, result: unknown = "result") => ({
  type: "function_call_output",
  call_id: callId,
  output: result,
});

const said = (text: string) => ({ type: "message", role: "user", text });

/** The part of the last response's input that the model was sent. */
function sent(): Loose {
  return service.provider.calls.at(-1)?.prompt.items;
}

const accepted: readonly (readonly [string, unknown, unknown])[] = [
  ["a bare string is one user message", "Hi", [said("Hi")]],
  ["white space is kept", "  \n", [said("  \n")]],
  ["a user message", [user("Hi")], [said("Hi")]],
  [
    "user messages concatenate in wire order, parted by a blank line",
    [user("a"), user("b"), user("c")],
    [said("a\n\nb\n\nc")],
  ],
  [
    "text parts of every kind join with newlines",
    [
      user([
        { type: "input_text", text: "a" },
        { type: "output_text", text: "b" },
        { type: "text", text: "c" },
      ]),
    ],
    [said("a\nb\nc")],
  ],
  ["a message needs no type", [{ role: "user", content: "Hi" }], [said("Hi")]],
  [
    "a user item with empty content is skipped",
    [user(""), user([]), user([{ type: "text", text: "" }]), user("b")],
    [said("b")],
  ],
  [
    "unknown fields of an item are ignored, those the service itself returns among them",
    [
      user([{ type: "output_text", text: "Hi", annotations: [], logprobs: [], more: 1 }], {
        id: "msg_1",
        status: "completed",
        phase: null,
        x: {},
      }),
    ],
    [said("Hi")],
  ],
  [
    "a call with its output is carried as a real tool exchange, without the tool's name",
    [call("call_1"), output("call_1"), user("and?")],
    [
      { type: "call", callId: "call_1", name: null, arguments: '{"a":1}' },
      { type: "result", callId: "call_1", name: null, output: "result" },
      said("and?"),
    ],
  ],
  [
    "the joined message stands where its last item stood: the model answers the user",
    [user("a"), call("c"), output("c"), user("b")],
    [
      { type: "call", callId: "c", name: null, arguments: '{"a":1}' },
      { type: "result", callId: "c", name: null, output: "result" },
      said("a\n\nb"),
    ],
  ],
  [
    "an output of text parts is joined with newlines",
    [
      user("a"),
      call("c"),
      output("c", [
        { type: "input_text", text: "x" },
        { type: "input_text", text: "y" },
      ]),
    ],
    [
      said("a"),
      { type: "call", callId: "c", name: null, arguments: '{"a":1}' },
      { type: "result", callId: "c", name: null, output: "x\ny" },
    ],
  ],
  [
    "a reasoning item is never sent to the model",
    [{ type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "secret" }] }, user("Hi")],
    [said("Hi")],
  ],
];

describe("accepted", () => {
  for (const [name, input, expected] of accepted) {
    test(name, async () => {
      const { status, text } = await service.create({ input });
      assert.equal(status, 200, text);
      assert.deepEqual(sent(), expected);
    });
  }
});

const part = (type: string, more = {}) => [
  { type: "input_text", text: "a" },
  { type, ...more },
];

const rejected: readonly (readonly [string, unknown, RegExp])[] = [
  ["no input", undefined, /required/],
  ["an empty string", "", /empty/],
  ["input of another type", 5, /string or an array/],
  ["an object", { role: "user" }, /string or an array/],
  ["an empty array", [], /no user text/],
  [
    "an assistant message",
    [user("a"), { role: "assistant", content: "b" }],
    /input\[1\] \(message\).*previous_response_id/,
  ],
  ["a system message", [{ role: "system", content: "b" }], /input\[0\] \(message\).*instructions/],
  ["a developer message", [user("a"), { role: "developer", content: "b" }], /input\[1\] \(message\).*instructions/],
  ["an unknown role", [{ role: "robot", content: "b" }], /input\[0\] \(message\).*role/],
  ["a lone output", [output("call_1")], /a new conversation has no waiting tool call/],
  [
    "an output without its call",
    [user("a"), output("call_1")],
    /input\[1\] \(function_call_output\).*function_call .*"call_1" is missing/,
  ],
  [
    "a call without its output",
    [user("a"), call("call_1")],
    /input\[1\] \(function_call\).*function_call_output .*"call_1" is missing/,
  ],
  ["an exchange without user text", [call("c"), output("c")], /no user text/],
  ["reasoning alone", [{ type: "reasoning", summary: [] }], /no user text/],
  ["a call given twice", [user("a"), call("c"), call("c"), output("c")], /input\[2\] \(function_call\)/],
  ["an output given twice", [user("a"), call("c"), output("c"), output("c")], /input\[3\] \(function_call_output\)/],
  [
    "an item_reference on a first turn",
    [{ type: "item_reference", id: "msg_1" }, user("a")],
    /input\[0\] \(item_reference\)/,
  ],
  ["an id alone, which is an item_reference", [{ id: "msg_1" }], /input\[0\] \(item_reference\)/],
  ["an unknown item type", [user("a"), { type: "web_search_call" }], /input\[1\] \(web_search_call\)/],
  ["an item that is no object", [user("a"), "b"], /input\[1\]/],
  ["null as an item", [null], /input\[0\]/],
  ["an item of nothing", [{}], /input\[0\]/],
  ["only empty messages", [user(""), user([])], /no user text/],
  ["content of another type", [user(7)], /input\[0\] \(message\).*content/],
  ["a part that is no object", [user(["a"])], /input\[0\] \(message\).*content\[0\]/],
  ["a part without text", [user([{ type: "input_text" }])], /input\[0\] \(message\).*content\[0\]\.text/],
  ...(
    [
      ["input_image", { image_url: "https://a.example/i.png" }],
      ["input_file", { file_url: "https://a.example/f.pdf" }],
      ["input_video", { video_url: "https://a.example/v.mp4" }],
      ["summary_text", { text: "b" }],
      ["reasoning_text", { text: "b" }],
      ["refusal", { refusal: "b" }],
      ["unheard_of", {}],
    ] as const
  ).map(([type, more]): [string, unknown, RegExp] => [
    `an ${type} part`,
    [user("a"), user(part(type, more))],
    new RegExp(`input\\[1\\] \\(message\\).*content\\[1\\].*${type}`),
  ]),
  [
    "a call without call_id",
    [user("a"), { type: "function_call", name: "f", arguments: "{}" }],
    /input\[1\] \(function_call\).*call_id/,
  ],
  [
    "a call without a name",
    [user("a"), { type: "function_call", call_id: "c", arguments: "{}" }],
    /input\[1\] \(function_call\).*name/,
  ],
  [
    "a call without arguments",
    [user("a"), { type: "function_call", call_id: "c", name: "f" }],
    /input\[1\] \(function_call\).*arguments/,
  ],
  [
    "an output without a result",
    [user("a"), call("c"), { type: "function_call_output", call_id: "c" }],
    /input\[2\] \(function_call_output\).*output/,
  ],
  [
    "an image in an output",
    [user("a"), call("c"), output("c", [{ type: "input_image", image_url: "x" }])],
    /input\[2\] \(function_call_output\).*output\[0\].*input_image/,
  ],
];

describe("rejected with param input", () => {
  for (const [name, input, message] of rejected) {
    test(name, async () => {
      const before = service.provider.calls.length;
      assertApiError(await service.create({ input }), { status: 400, code: "invalid_input", param: "input", message });
      assert.equal(service.provider.calls.length, before);
    });
  }
});

test("later responses follow the same table: assistant, system and developer messages are rejected", async () => {
  const first = await service.create({ input: "Hi" });
  for (const role of ["assistant", "system", "developer"]) {
    const reply = await service.create({ input: [{ role, content: "b" }], previous_response_id: first.json.id });
    assertApiError(reply, { status: 400, code: "invalid_input", param: "input", message: /input\[0\] \(message\)/ });
  }
});

test("a carried exchange and reasoning are stored and listed under ids of the service", async () => {
  const conversation = await service.request("POST", "/v1/conversations");
  await service.create({
    conversation: conversation.json.id,
    input: [
      { type: "reasoning", id: "rs_mine", summary: [{ type: "summary_text", text: "s" }] },
      call("c"),
      output("c"),
      user("Hi", { id: "msg_mine" }),
    ],
  });
  const { json } = await service.request("GET", `/v1/conversations/${conversation.json.id}/items`);
  const withoutIds = json.data.map((item: Loose) => without(item, "id"));
  assert.deepEqual(withoutIds, [
    { type: "reasoning", summary: [{ type: "summary_text", text: "s" }] },
    { type: "function_call", call_id: "c", name: "secret_name", arguments: '{"a":1}', status: "completed" },
    { type: "function_call_output", call_id: "c", output: "result", status: "completed" },
    { type: "message", role: "user", status: "completed", content: [{ type: "input_text", text: "Hi" }] },
    {
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "ok", annotations: [], logprobs: [] }],
    },
  ]);
  const prefixes = json.data.map(({ id }: { id: string }) => id.slice(0, id.indexOf("_") + 1));
  assert.deepEqual(prefixes, ["rs_", "fc_", "fco_", "msg_", "msg_"]);
  assert.ok(json.data.every(({ id }: { id: string }) => !id.endsWith("_mine")));
});

test("a later response is sent the history and its own input", async () => {
  const first = await service.create({ input: "1" });
  const second = await service.create({ input: "2", previous_response_id: first.json.id });
  await service.create({ input: "3", previous_response_id: second.json.id });
  assert.deepEqual(
    sent().map(({ text }: { text: string }) => text),
    ["1", "ok", "2", "ok", "3"],
  );
});
