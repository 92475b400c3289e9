// One 404: whatever the reason, on every route with an id, the bytes are the same except for the request id.
// @spec errors (the uniform 404)
import assert from "node:assert/strict";
import { test } from "node:test";
import { ROUTES } from "../../src/contract/routes.ts";
import type { Reply } from "../support/http-client.ts";
import { serviceForFile } from "../support/service.ts";
import { TESTS } from "../support/actor.ts";

const service = await serviceForFile();

interface Named {
  readonly response: string;
  readonly conversation: string;
  readonly item: string;
}

/** A conversation with an item and a response in it. */
async function make(key: string): Promise<Named> {
  const body = { items: [{ role: "user", content: "a" }] };
  const conversation = (await service.request("POST", "/v1/conversations", { body, key })).json.id;
  const response = (await service.create({ input: "Hi", conversation }, { key })).json.id;
  const items = await service.request("GET", `/v1/conversations/${conversation}/items`, { key });
  return { response, conversation, item: items.json.first_id };
}

const mine = await make(service.key);
const deleted = await make(service.key);
await service.request("DELETE", `/v1/conversations/${deleted.conversation}/items/${deleted.item}`);
await service.request("DELETE", `/v1/responses/${deleted.response}`);
const buried = await make(service.key);
await service.request("DELETE", `/v1/conversations/${buried.conversation}`);
const { secret: otherKey } = await service.newKey();
const { organizationId } = await service.newOrganization();
const { secret: otherOrganization } = await service.newKey(organizationId);
const { secret: revoked, keyId } = await service.newKey();
const orphaned = await make(revoked);
await service.store.revokeKey({ by: TESTS, keyId, revokedAt: 1 });

const MALFORMED = [
  "x",
  "resp_",
  "conv_",
  "msg_",
  "resp_a%20b",
  "%00",
  "resp_%00",
  "%F0%9F%91%8B",
  "..%2F..",
  "a".repeat(7000),
];

/** Invalid percent-encoding, which only a path can contain. */
const BROKEN = ["resp_%zz", "%ff", "%"];

const reasons: readonly (readonly [string, Named, string?])[] = [
  ["unknown", { response: "resp_none", conversation: "conv_none", item: "msg_none" }],
  ["of another kind", { response: mine.conversation, conversation: mine.response, item: mine.response }],
  ["of another key", mine, otherKey],
  ["of another organization", mine, otherOrganization],
  ["of a key that was revoked", orphaned],
  ["in a deleted conversation", buried],
  ...MALFORMED.map((id): [string, Named] => [
    `malformed ${id.slice(0, 20)}`,
    { response: id, conversation: id, item: id },
  ]),
];

/** Everything by which a client can tell two replies apart. */
function visible({ status, headers, text }: Reply): unknown {
  const { date: _, "x-request-id": requestId, "x-ratelimit-remaining-requests": __, ...rest } = headers;
  assert.match(requestId ?? "", /./);
  // The rest of an allowance depends on the time and the organization, not on the object requested.
  delete (rest as Record<string, string>)["x-ratelimit-reset-requests"];
  return { status, headers: rest, text };
}

for (const route of ROUTES.filter(({ path }) => path.includes(":"))) {
  test(`${route.operation}: the same bytes for every reason`, async () => {
    const body = { metadata: {}, items: [] };
    const ask = (named: Named, key = service.key) => {
      const path = route.path
        .replace(":response_id", named.response)
        .replace(":conversation_id", named.conversation)
        .replace(":item_id", named.item);
      return service.request(route.method, `/v1${path}`, route.method === "POST" ? { body, key } : { key });
    };
    const expected = visible(await ask({ response: "resp_0", conversation: "conv_0", item: "msg_0" }));
    const text =
      '{"error":{"message":"The requested resource was not found.","type":"not_found_error","param":null,"code":"resource_not_found"}}';
    assert.equal((expected as { text: string }).text, text);
    for (const [reason, named, key] of reasons) {
      // A repeated delete by the owner is no error.
      if (route.operation === "deleteConversation" && named === buried) continue;
      const answer = await ask(named, key);
      assert.deepEqual(visible(answer), expected, reason);
    }
    for (const id of BROKEN) {
      assert.deepEqual(visible(await ask({ response: id, conversation: id, item: id })), expected, id);
    }
    if (route.path.includes(":item_id")) {
      for (const item of [deleted.item, mine.response, ...MALFORMED, ...BROKEN]) {
        const id = { ...deleted, item };
        assert.deepEqual(visible(await ask(id)), expected, `item ${item.slice(0, 20)}`);
      }
    }
    if (["retrieveResponse", "cancelResponse"].includes(route.operation)) {
      assert.deepEqual(visible(await ask(deleted)), expected, "deleted");
    }
  });
}

test("createResponse: the same bytes for every reason that a conversation or response cannot be continued", async () => {
  const expected = visible(await service.create({ input: "Hi", conversation: "conv_0" }));
  for (const [reason, named, key = service.key] of reasons) {
    const id = decodeURIComponent(named.conversation);
    if (!id.includes("\u0000")) {
      const answer = await service.create({ input: "Hi", conversation: id }, { key });
      assert.deepEqual(visible(answer), expected, reason);
    }
    if (!/^resp_\w+$/.test(named.response)) continue;
    for (const stream of [false, true]) {
      const answer = await service.create({ input: "Hi", previous_response_id: named.response, stream }, { key });
      assert.deepEqual(visible(answer), expected, reason);
    }
  }
  assert.deepEqual(visible(await service.create({ input: "Hi", previous_response_id: deleted.response })), expected);
});

test("an unknown path is the same envelope", async () => {
  const unknown = await service.request("GET", "/v1/nowhere");
  const missing = await service.request("GET", "/v1/responses/resp_0");
  assert.equal(unknown.text, missing.text);
});
