// POST /v1/conversations/{conversation_id}/items, and reading and removing one item.
// @spec endpoints/post-conversations-id-items
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Loose } from "../../support/http-client.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { calls } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { dumpTables } from "../../support/tables.ts";
import { without } from "../../support/without.ts";

const service = await serviceForFile();

const NOT_FOUND = { status: 404, code: "resource_not_found" };
const newConversation = async () => `/v1/conversations/${(await service.request("POST", "/v1/conversations")).json.id}`;
const conversation = await newConversation();
const add = (items: unknown, path = conversation, query = "") =>
  service.request("POST", `${path}/items${query}`, { body: { items } });
const message = (role: string, content: unknown) => ({ type: "message", role, content });
const call = (callId: string) => ({ type: "function_call", call_id: callId, name: "f", arguments: "{}" });
const output = (callId: string, result: unknown = "r") => ({
  type: "function_call_output",
  call_id: callId,
  output: result,
});

test("replies with the list of just the added items, each with its own id", async () => {
  const path = await newConversation();
  await add([message("user", "before")], path);
  const items = [
    message("user", "u"),
    message("assistant", [{ type: "output_text", text: "a" }]),
    message("system", [{ type: "text", text: "s" }]),
    message("developer", "d"),
    { role: "user", content: "untyped", id: "msg_mine", status: "completed" },
    call("c"),
    output("c", [
      { type: "input_text", text: "x" },
      { type: "input_text", text: "y" },
    ]),
    { type: "reasoning", summary: [{ type: "summary_text", text: "s" }], encrypted_content: "opaque" },
  ];
  const { status, json, text } = await add(items, path, "?include=reasoning.encrypted_content");
  assert.equal(status, 200, text);
  const withoutIds = json.data.map((item: Loose) => without(item, "id"));
  const stored = (role: string, part: object) => ({ type: "message", role, status: "completed", content: [part] });
  assert.deepEqual(withoutIds, [
    stored("user", { type: "input_text", text: "u" }),
    stored("assistant", { type: "output_text", text: "a", annotations: [], logprobs: [] }),
    stored("system", { type: "text", text: "s" }),
    stored("developer", { type: "input_text", text: "d" }),
    stored("user", { type: "input_text", text: "untyped" }),
    { ...call("c"), status: "completed" },
    { ...output("c", "x\ny"), status: "completed" },
    { type: "reasoning", summary: [{ type: "summary_text", text: "s" }], encrypted_content: "opaque" },
  ]);
  const { data, ...list } = json;
  assert.deepEqual(list, { object: "list", first_id: data[0].id, last_id: data.at(-1).id, has_more: false });
  assert.equal(data[4].id === "msg_mine", false);
  for (const item of data) {
    const one = await service.request("GET", `${path}/items/${item.id}?include=reasoning.encrypted_content`);
    assert.deepEqual(one.json, item);
  }
});

test("twenty are accepted; none give an empty list", async () => {
  const twenty = await add(
    Array.from({ length: 20 }, () => message("user", "a")),
    await newConversation(),
  );
  assert.equal(twenty.json.data.length, 20);
  const none = await add([], await newConversation());
  assert.deepEqual(none.json, { object: "list", data: [], first_id: "", last_id: "", has_more: false });
});

test("an output may answer a call already in the conversation", async () => {
  const path = await newConversation();
  const id = path.split("/").at(-1);
  service.provider.plays(calls({ callId: "waiting" }));
  await service.create({ conversation: id, input: "Hi", tools: [{ type: "function", name: "look_up" }] });
  const answered = await add([output("waiting"), message("user", "and?")], path);
  assert.equal(answered.status, 200, answered.text);
  const next = await service.create({ conversation: id, input: "Go on" });
  assert.equal(next.status, 200, next.text);
  assert.deepEqual(
    service.provider.calls.at(-1)?.prompt.items.map(({ type }) => type),
    ["message", "call", "result", "message", "message"],
  );
  assertApiError(await add([output("waiting")], path), {
    status: 400,
    code: "invalid_input",
    param: "items",
    message: /items\[0\] \(function_call_output\).*"waiting"/,
  });
});

test("a call without an output keeps no response waiting, and is sent once it has its output", async () => {
  const path = await newConversation();
  const id = path.split("/").at(-1);
  const added = await add([message("user", "a"), call("alone")], path);
  assert.equal(added.status, 200, added.text);
  const sent = () => service.provider.calls.at(-1)?.prompt.items.map((item: Loose) => item.text ?? item.type);
  const first = await service.create({ conversation: id, input: "Hi" });
  assert.equal(first.status, 200, first.text);
  assert.deepEqual(sent(), ["a", "Hi"]);
  // No response made the call, so its output continues no turn and follows the added call.
  const asCreate = await service.create({ conversation: id, input: [output("alone")] });
  assertApiError(asCreate, { status: 400, code: "invalid_input", param: "input", message: /"alone"/ });
  assert.equal((await add([output("alone", "found")], path)).status, 200);
  await service.create({ conversation: id, input: "And?" });
  assert.deepEqual(sent(), ["a", "call", "result", "Hi", "ok", "And?"]);
  assertApiError(await add([output("alone")], path), { status: 400, code: "invalid_input", param: "items" });
});

describe("rejected as a whole, naming item and part", () => {
  const part = (type: string) => [message("user", "a"), message("user", [{ type, text: "x", refusal: "x" }])];
  const rows: readonly (readonly [string, unknown, RegExp])[] = [
    ["items missing", undefined, /required/],
    ["items null", null, /required/],
    ["items that are no array", "a", /array/],
    ["21 items", Array.from({ length: 21 }, () => message("user", "a")), /20/],
    ...["input_image", "input_file", "input_video", "summary_text", "reasoning_text", "refusal"].map(
      (type): [string, unknown, RegExp] => [
        `an ${type} part`,
        part(type),
        new RegExp(`items\\[1\\] \\(message\\).*${type}`),
      ],
    ),
    ["an unknown role", [message("robot", "a")], /items\[0\] \(message\)/],
    ["an unknown type", [{ type: "computer_call" }], /items\[0\] \(computer_call\)/],
    ["a reference", [{ type: "item_reference", id: "msg_a" }], /items\[0\] \(item_reference\)/],
    ["an output without its call", [output("c")], /items\[0\] \(function_call_output\).*function_call .*missing/],
    ["two calls of one id", [call("c"), call("c"), output("c")], /items\[1\]/],
    ["an item that is no object", [5], /items\[0\]/],
  ];
  for (const [name, items, sentence] of rows) {
    test(name, async () => {
      const before = await dumpTables(service);
      const answer = await add(items);
      assertApiError(answer, { status: 400, code: "invalid_input", param: "items", message: sentence });
      assert.deepEqual(await dumpTables(service), before);
    });
  }
  test("an unrecognized include", async () => {
    const answer = await add([message("user", "a")], conversation, "?include=x");
    assertApiError(answer, { status: 400, code: "invalid_input", param: "include" });
  });
  test("an empty body", async () => {
    const answer = await service.request("POST", `${conversation}/items`);
    assertApiError(answer, { status: 400, code: "invalid_input" });
  });
});

describe("DELETE …/items/{item_id}", () => {
  test("an added item is deleted; the reply is the conversation", async () => {
    const path = await newConversation();
    const added = await add([message("user", "a"), message("user", "b")], path);
    const [first] = added.json.data;
    const { status, json } = await service.request("DELETE", `${path}/items/${first.id}`);
    assert.equal(status, 200);
    assert.deepEqual(json, (await service.request("GET", path)).json);
    assertApiError(await service.request("GET", `${path}/items/${first.id}`), NOT_FOUND);
    assertApiError(await service.request("DELETE", `${path}/items/${first.id}`), NOT_FOUND);
    assert.deepEqual((await service.request("GET", `${path}/items`)).json.data, [added.json.data[1]]);
    await service.create({ conversation: path.split("/").at(-1), input: "now" });
    const sent = service.provider.calls.at(-1)?.prompt.items.map((item: Loose) => item.text);
    assert.deepEqual(sent, ["b", "now"]);
  });

  test("an item of a response, also of its input, is not deleted: delete the response", async () => {
    const path = await newConversation();
    await service.create({ conversation: path.split("/").at(-1), input: "Hi" });
    const { json } = await service.request("GET", `${path}/items`);
    assert.equal(json.data.length, 2);
    for (const { id } of json.data) {
      const answer = await service.request("DELETE", `${path}/items/${id}`);
      assertApiError(answer, { status: 400, code: "invalid_input", param: "item_id", message: /delete the response/ });
    }
  });

  test("an item of a conversation's creation can be deleted", async () => {
    const { json } = await service.request("POST", "/v1/conversations", { body: { items: [message("user", "a")] } });
    const path = `/v1/conversations/${json.id}`;
    const { first_id } = (await service.request("GET", `${path}/items`)).json;
    assert.equal((await service.request("DELETE", `${path}/items/${first_id}`)).status, 200);
  });

  test("a deleted half of an exchange leaves nothing that a model cannot handle", async () => {
    const path = await newConversation();
    const added = await add([call("c"), output("c"), message("user", "a")], path);
    await service.request("DELETE", `${path}/items/${added.json.data[1].id}`);
    const turn = await service.create({ conversation: path.split("/").at(-1), input: "now" });
    assert.equal(turn.status, 200, turn.text);
    const types = service.provider.calls.at(-1)?.prompt.items.map(({ type }) => type);
    assert.deepEqual(types, ["message", "message"]);
  });
});

test("one item: 404 for an unknown conversation or item, 400 for an unrecognized include", async () => {
  const added = await add([message("user", "a")]);
  const { first_id: id } = added.json;
  const other = await newConversation();
  for (const path of [
    `${conversation}/items/msg_none`,
    `${other}/items/${id}`,
    `/v1/conversations/conv_none/items/${id}`,
  ]) {
    assertApiError(await service.request("GET", path), NOT_FOUND);
    assertApiError(await service.request("DELETE", path), NOT_FOUND);
  }
  const answer = await service.request("GET", `${conversation}/items/${id}?include=x`);
  assertApiError(answer, { status: 400, code: "invalid_input", param: "include" });
});
