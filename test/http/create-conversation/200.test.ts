// POST /v1/conversations, and what creating, reading, labelling and deleting one share. @spec endpoints/post-conversations
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Loose } from "../../support/http-client.ts";
import { assertRefused } from "../../support/refused.ts";
import { FINISHED, gate } from "../../support/scripted-provider.ts";
import { TestService } from "../../support/service.ts";
import { dumpTables } from "../../support/tables.ts";
import { until } from "../../support/until.ts";

const service = await TestService.start();
after(() => service.close());

const NOT_FOUND = { status: 404, code: "resource_not_found" };
const create = (body?: object | string, headers = {}) =>
  service.request("POST", "/v1/conversations", { ...(body === undefined ? {} : { body }), headers });
const items = (id: string) => service.request("GET", `/v1/conversations/${id}/items`);
const user = (text: string) => ({ role: "user", content: text });
const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));

test("a body is optional, and so is all in it", async () => {
  for (const body of [
    undefined,
    "",
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
    { type: "answer", text: "a", declined: false, phase: "commentary" },
    { type: "call", callId: "c", name: null, arguments: "{}" },
    { type: "result", callId: "c", name: null, output: "r" },
  ]);
  assert.equal(sent.length, 6 + 13 + 1);
  assert.equal(JSON.stringify(sent).includes("k0"), false, "labels are never sent");
});

describe("refused, and nothing made of it", () => {
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
      const before = dumpTables(service.path);
      assertRefused(await create(body, { "idempotency-key": "k" }), { status: 400, code: "invalid_input", param });
      assert.deepEqual(dumpTables(service.path), before);
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
      assertRefused(await update(json.id, body), { status: 400, code: "invalid_input", param });
    }
    assert.deepEqual((await service.request("GET", `/v1/conversations/${json.id}`)).json.metadata, { a: "1" });
  });

  test("a retry answers with the conversation as it is now and labels nothing again", async () => {
    const { json } = await create();
    const headers = { "idempotency-key": "labels" };
    await update(json.id, { metadata: { a: "1" } }, headers);
    await update(json.id, { metadata: { b: "2" } });
    const again = await update(json.id, { metadata: { a: "1" } }, headers);
    assert.deepEqual([again.status, again.json.metadata], [200, { b: "2" }]);
  });
});

describe("DELETE /v1/conversations/{id}", () => {
  test("it is gone with its items and its responses; a repeat by its owner is no error", async () => {
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
      assertRefused(await service.request(method, path, body === undefined ? {} : { body }), NOT_FOUND);
    }
  });

  test("a turn that is running in it goes on to its end; then nothing of it can be read", async () => {
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
    assertRefused(await service.request("GET", `/v1/responses/${turn.json.id}`), NOT_FOUND);
  });
});

describe("an Idempotency-Key on the conversation routes", () => {
  const keyed = (key: string) => ({ "idempotency-key": key });

  test("creating: one conversation, also for twins at once", async () => {
    const body = { metadata: { a: "1" }, items: [user("a")] };
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(body, keyed("twins"))));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assertRefused(await create({ metadata: {} }, keyed("twins")), { status: 409, code: "idempotency_conflict" });
  });

  test("adding items: added once, answered with the same list", async () => {
    const { json } = await create();
    const path = `/v1/conversations/${json.id}/items`;
    const body = { items: [user("a"), user("b")] };
    const add = () => service.request("POST", path, { body, headers: keyed("items") });
    const answers = await Promise.all(Array.from({ length: 20 }, add));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1, "one list");
    assert.equal((await items(json.id)).json.data.length, 2);
    await service.request("DELETE", `${path}/${answers[0]?.json.data[0].id}`);
    assertRefused(await add(), { status: 409, code: "idempotency_conflict" });
  });

  test("the same key and body sent to another conversation is a conflict", async () => {
    const [one, other] = [await create(), await create()];
    for (const [suffix, body] of [
      ["", { metadata: { a: "1" } }],
      ["/items", { items: [user("a")] }],
    ] as const) {
      const headers = keyed(`two${suffix}`);
      const send = (id: string) => service.request("POST", `/v1/conversations/${id}${suffix}`, { body, headers });
      assert.equal((await send(one.json.id)).status, 200);
      assertRefused(await send(other.json.id), { status: 409, code: "idempotency_conflict" });
    }
    assert.deepEqual((await items(other.json.id)).json.data, []);
  });

  test("each endpoint keeps its own keys", async () => {
    const headers = keyed("everywhere");
    const conversation = await create({}, headers);
    const path = `/v1/conversations/${conversation.json.id}`;
    const answers = [
      conversation,
      await service.request("POST", path, { body: { metadata: { a: "1" } }, headers }),
      await service.request("POST", `${path}/items`, { body: { items: [user("a")] }, headers }),
      await service.create({ input: "Hi" }, { headers }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    );
  });

  test("another API key of the organization is a conflict; a deleted conversation too", async () => {
    const headers = keyed("owner");
    const { json } = await create({}, headers);
    const { secret } = await service.newKey();
    const foreign = await service.request("POST", "/v1/conversations", { body: {}, key: secret, headers });
    assertRefused(foreign, { status: 409, code: "idempotency_conflict" });
    await service.request("DELETE", `/v1/conversations/${json.id}`);
    assertRefused(await create({}, headers), { status: 409, code: "idempotency_conflict" });
  });

  test("a refusal does not consume it; after 24 hours it is free", async () => {
    const headers = keyed("refused");
    assert.equal((await create({ metadata: 1 }, headers)).status, 400);
    const first = await create({}, headers);
    assert.equal(first.status, 200);
    const nowhere = await service.request("POST", "/v1/conversations/conv_none/items", {
      body: { items: [] },
      headers,
    });
    assertRefused(nowhere, NOT_FOUND);
    const path = `/v1/conversations/${first.json.id}/items`;
    assert.equal((await service.request("POST", path, { body: { items: [user("a")] }, headers })).status, 200);
    await service.clock.advance(24 * 3_600_000);
    const later = await create({}, headers);
    assert.notEqual(later.json.id, first.json.id);
  });
});

test("deleting a conversation cancels the turn that runs in it, and no other", async () => {
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
