// The conversation routes with an Idempotency-Key. @spec limits (Idempotency rules)
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertApiError } from "../../support/assert-api-error.ts";
import { serviceForFile } from "../../support/service.ts";

const service = await serviceForFile();

const NOT_FOUND = { status: 404, code: "resource_not_found" };

const create = (body?: object | string, headers = {}) =>
  service.request("POST", "/v1/conversations", { ...(body === undefined ? {} : { body }), headers });

const items = (id: string) => service.request("GET", `/v1/conversations/${id}/items`);

const user = (text: string) => ({ role: "user", content: text });

describe("an Idempotency-Key on the conversation routes", () => {
  const keyed = (key: string) => ({ "idempotency-key": key });

  test("creating: one conversation, also for two requests at once", async () => {
    const body = { metadata: { a: "1" }, items: [user("a")] };
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(body, keyed("twins"))));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assertApiError(await create({ metadata: {} }, keyed("twins")), { status: 409, code: "idempotency_conflict" });
  });

  test("creating: a retry gets the first reply, whatever the labels are by now", async () => {
    for (const body of [{ metadata: { a: "1" } }, undefined]) {
      const headers = keyed(`labels of ${JSON.stringify(body)}`);
      const first = await create(body, headers);
      await service.request("POST", `/v1/conversations/${first.json.id}`, { body: { metadata: { b: "2" } } });
      assert.equal((await create(body, headers)).text, first.text);
    }
  });

  test("adding items: added once, the reply is the same list", async () => {
    const { json } = await create();
    const path = `/v1/conversations/${json.id}/items`;
    const body = { items: [user("a"), user("b")] };
    const add = () => service.request("POST", path, { body, headers: keyed("items") });
    const answers = await Promise.all(Array.from({ length: 20 }, add));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1, "one list");
    assert.equal((await items(json.id)).json.data.length, 2);
    await service.request("DELETE", `${path}/${answers[0]?.json.data[0].id}`);
    assertApiError(await add(), { status: 409, code: "idempotency_conflict" });
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
      assertApiError(await send(other.json.id), { status: 409, code: "idempotency_conflict" });
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
    assertApiError(foreign, { status: 409, code: "idempotency_conflict" });
    await service.request("DELETE", `/v1/conversations/${json.id}`);
    assertApiError(await create({}, headers), { status: 409, code: "idempotency_conflict" });
  });

  test("a rejected request does not consume it; after 24 hours it is free", async () => {
    const headers = keyed("rejected");
    assert.equal((await create({ metadata: 1 }, headers)).status, 400);
    const first = await create({}, headers);
    assert.equal(first.status, 200);
    const nowhere = await service.request("POST", "/v1/conversations/conv_none/items", {
      body: { items: [] },
      headers,
    });
    assertApiError(nowhere, NOT_FOUND);
    const path = `/v1/conversations/${first.json.id}/items`;
    assert.equal((await service.request("POST", path, { body: { items: [user("a")] }, headers })).status, 200);
    await service.clock.advance(24 * 3_600_000);
    const later = await create({}, headers);
    assert.notEqual(later.json.id, first.json.id);
  });
});
