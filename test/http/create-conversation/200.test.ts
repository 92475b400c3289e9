// POST /v1/conversations, and the other operations on one. @spec endpoints/post-conversations
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Loose } from "../../support/http-client.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { FINISHED, gate } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { dumpTables } from "../../support/tables.ts";
import { until } from "../../support/until.ts";

const service = await serviceForFile();

const NOT_FOUND = { status: 404, code: "resource_not_found" };

const create = (body?: object | string, headers = {}) =>
  service.request("POST", "/v1/conversations", { ...(body === undefined ? {} : { body }), headers });

const items = (id: string) => service.request("GET", `/v1/conversations/${id}/items`);

const user = (text: string) => ({ role: "user", content: text });

const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));

test("the body and every field in it are optional", async () => {
  for (const body of [
    undefined,
    "",
    " ",
    "\r\n\t ",
    "{}",
    { items: null, metadata: null },
    { items: [], metadata: {} },
    { unknown: 1 },
  ]) {
    const { status, json, text } = await create(body);
    assert.equal(status, 200, text);
    assert.match(json.id, /^conv_\w+$/);
    const createdAt = Math.floor(service.clock.nowMs() / 1000);
    assert.deepEqual(json, { id: json.id, object: "conversation", created_at: createdAt, metadata: {} });
  }
});

test("labels are kept as sent, at their limits", async () => {
  const metadata = { ...pairs(15), ["👋".repeat(64)]: "👋".repeat(512) };
  const { json } = await create({ metadata });
  assert.deepEqual(json.metadata, metadata);
  assert.deepEqual((await service.request("GET", `/v1/conversations/${json.id}`)).json, json);
});

test("labels named like an object's own members are labels", async () => {
  const body = '{"metadata":{"__proto__":"a","constructor":"b","toString":"c"}}';
  const { status, json, text } = await create(body);
  assert.equal(status, 200);
  assert.ok(text.includes('"__proto__":"a"'), text);
  assert.ok((await service.request("GET", `/v1/conversations/${json.id}`)).text.includes('"__proto__":"a"'));
});

test("citations of added text are kept, at creation and later, and shown wherever the item is", async () => {
  const annotations = [
    { type: "url_citation", url: "https://a.example", title: "A", start_index: 0, end_index: 4 },
    { type: "container_file_citation", container_id: "c" },
  ];
  const item = { role: "assistant", content: [{ type: "output_text", text: "Said", annotations }] };
  const { json } = await create({ items: [item] });
  const path = `/v1/conversations/${json.id}/items`;
  const added = await service.request("POST", path, { body: { items: [item] } });
  const listed = (await items(json.id)).json.data;
  const alone = (await service.request("GET", `${path}/${listed[0].id}`)).json;
  for (const { content } of [...listed, alone, ...added.json.data]) {
    assert.deepEqual(content, [{ type: "output_text", text: "Said", annotations: [annotations[0]], logprobs: [] }]);
  }
  const rejected = await create({
    items: [{ ...item, content: [{ ...item.content[0], annotations: [{ type: "url_citation" }] }] }],
  });
  assertApiError(rejected, { status: 400, code: "invalid_input", param: "items" });
  // A create does not read them, since its messages are joined.
  const body = { input: [{ role: "user", content: [{ type: "output_text", text: "Hi", annotations: "x" }] }] };
  assert.equal((await service.create(body)).status, 200);
});

test("up to 20 items become context of the next response, all four roles", async () => {
  const { json } = await create({
    items: [
      { role: "system", content: "s" },
      { role: "developer", content: "d" },
      user("u"),
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "a" }], phase: "commentary" },
      { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: "r" },
      { type: "reasoning", summary: [] },
      ...Array.from({ length: 13 }, (_, index) => user(`${index}`)),
    ],
  });
  assert.equal((await items(json.id)).json.data.length, 20);
  const turn = await service.create({ conversation: json.id, input: "now" });
  assert.equal(turn.status, 200, turn.text);
  const sent = service.provider.calls.at(-1)?.prompt.items as Loose[];
  assert.deepEqual(sent.slice(0, 6), [
    { type: "message", role: "system", text: "s" },
    { type: "message", role: "developer", text: "d" },
    { type: "message", role: "user", text: "u" },
    { type: "assistant", text: "a", isRefusal: false, phase: "commentary" },
    { type: "call", callId: "c", name: null, arguments: "{}" },
    { type: "result", callId: "c", name: null, output: "r" },
  ]);
  assert.equal(sent.length, 6 + 13 + 1);
  assert.equal(JSON.stringify(sent).includes("k0"), false, "labels are never sent");
});

describe("rejected, and nothing is created", () => {
  const rows: readonly (readonly [string, object | string, string | null])[] = [
    ["21 items", { items: Array.from({ length: 21 }, () => user("a")) }, "items"],
    ["items that are no array", { items: {} }, "items"],
    ["one bad item among good ones", { items: [user("a"), { role: "robot", content: "b" }] }, "items"],
    ["an output without its call", { items: [{ type: "function_call_output", call_id: "c", output: "" }] }, "items"],
    ["17 labels", { metadata: pairs(17) }, "metadata"],
    ["a key of 65 characters", { metadata: { ["k".repeat(65)]: "" } }, "metadata"],
    ["a label of 513 characters", { metadata: { k: "v".repeat(513) } }, "metadata"],
    ["a label that is no string", { metadata: { k: null } }, "metadata"],
    ["labels in an array", { metadata: ["a"] }, "metadata"],
    ["no JSON", "{", null],
    ["an array", "[]", null],
    ["U+0000", { metadata: { k: "\u0000" } }, "metadata"],
  ];
  for (const [name, body, param] of rows) {
    test(name, async () => {
      const before = await dumpTables(service);
      assertApiError(await create(body, { "idempotency-key": "k" }), { status: 400, code: "invalid_input", param });
      assert.deepEqual(await dumpTables(service), before);
    });
  }
});

describe("POST /v1/conversations/{id} replaces all labels", () => {
  const update = (id: string, body?: object | string, headers = {}) =>
    service.request("POST", `/v1/conversations/${id}`, { ...(body === undefined ? {} : { body }), headers });

  test("the old ones are gone, {} clears", async () => {
    const { json } = await create({ metadata: { a: "1", b: "2" } });
    const relabelled = await update(json.id, { metadata: { c: "3" } });
    assert.deepEqual(relabelled.json, { ...json, metadata: { c: "3" } });
    assert.deepEqual((await service.request("GET", `/v1/conversations/${json.id}`)).json, relabelled.json);
    assert.deepEqual((await update(json.id, { metadata: {} })).json.metadata, {});
  });

  test("metadata is required and within its limits", async () => {
    const { json } = await create({ metadata: { a: "1" } });
    for (const [body, param] of [
      [undefined, null],
      ["", null],
      [{}, "metadata"],
      [{ metadata: null }, "metadata"],
      [{ metadata: pairs(17) }, "metadata"],
      [{ metadata: { k: 1 } }, "metadata"],
    ] as const) {
      assertApiError(await update(json.id, body), { status: 400, code: "invalid_input", param });
    }
    assert.deepEqual((await service.request("GET", `/v1/conversations/${json.id}`)).json.metadata, { a: "1" });
  });

  test("a retry gets the first reply, whatever the labels are by now, and changes nothing", async () => {
    const { json } = await create();
    const headers = { "idempotency-key": "labels" };
    const first = await update(json.id, { metadata: { a: "1" } }, headers);
    await update(json.id, { metadata: { b: "2" } });
    const again = await update(json.id, { metadata: { a: "1" } }, headers);
    assert.deepEqual([again.status, again.text], [200, first.text]);
    assert.deepEqual((await service.request("GET", `/v1/conversations/${json.id}`)).json.metadata, { b: "2" });
  });
});

describe("DELETE /v1/conversations/{id}", () => {
  test("its items and responses are gone with it; a repeat by its owner is no error", async () => {
    const { json } = await create({ items: [user("a")] });
    const turn = await service.create({ conversation: json.id, input: "b" });
    const itemId = (await items(json.id)).json.data[0].id;
    for (let round = 0; round < 2; round++) {
      const { status, json: deleted } = await service.request("DELETE", `/v1/conversations/${json.id}`);
      assert.equal(status, 200);
      assert.deepEqual(deleted, { id: json.id, object: "conversation.deleted", deleted: true });
    }
    for (const [method, path, body] of [
      ["GET", `/v1/conversations/${json.id}`],
      ["POST", `/v1/conversations/${json.id}`, { metadata: {} }],
      ["GET", `/v1/conversations/${json.id}/items`],
      ["POST", `/v1/conversations/${json.id}/items`, { items: [] }],
      ["GET", `/v1/conversations/${json.id}/items/${itemId}`],
      ["DELETE", `/v1/conversations/${json.id}/items/${itemId}`],
      ["GET", `/v1/responses/${turn.json.id}`],
      ["POST", `/v1/responses/${turn.json.id}/cancel`],
    ] as const) {
      assertApiError(await service.request(method, path, body === undefined ? {} : { body }), NOT_FOUND);
    }
  });

  test("a running response in it continues to its end; then nothing of it can be read", async () => {
    const { json } = await create();
    const { opened, open } = gate();
    const asked = service.provider.calls.length;
    service.provider.plays([opened, [{ type: "text", text: "canary" }], FINISHED]);
    const pending = service.create({ conversation: json.id, input: "b" });
    await until("the call", () => service.provider.calls.length > asked);
    await service.request("DELETE", `/v1/conversations/${json.id}`);
    open();
    const turn = await pending;
    assert.equal(turn.status, 200, turn.text);
    assertApiError(await service.request("GET", `/v1/responses/${turn.json.id}`), NOT_FOUND);
  });
});

test("deleting a conversation cancels the response that runs in it, and no other", async () => {
  const { json: conversation } = await create();
  const { opened, open } = gate();
  service.provider.plays([opened, FINISHED], [opened, FINISHED]);
  const [asked, aborted] = [service.provider.calls.length, service.provider.aborted];
  const within = service.create({ input: "Hi", conversation: conversation.id });
  await until("the first call", () => service.provider.calls.length === asked + 1);
  const elsewhere = service.create({ input: "Hi" });
  await until("the second call", () => service.provider.calls.length === asked + 2);
  assert.equal((await service.request("DELETE", `/v1/conversations/${conversation.id}`)).status, 200);
  await until("the provider let go", () => service.provider.aborted === aborted + 1);
  assert.equal((await within).json.status, "cancelled");
  open();
  assert.equal((await elsewhere).json.status, "completed");
});
