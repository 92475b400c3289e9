// Long replies are bounded in bytes: without room a request is rejected before its content is read, and a reader that
// does not read is cut off. docs/decisions/replies.md; docs/reliability.md, A-10
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, describe, test } from "node:test";
import { assertApiError } from "../../support/assert-api-error.ts";
import type { Reply } from "../../support/http-client.ts";
import { FINISHED } from "../../support/scripted-provider.ts";
import { serviceForFile, type TestService, withService } from "../../support/service.ts";
import { until } from "../../support/until.ts";

const MIB = 1024 * 1024;
const ROOM = 4 * MIB;
/** More than the system buffers of a connection. */
const LONG = 20 * MIB;

const service = await serviceForFile({ limits: { replies_in_hand_bytes: ROOM } });

const NO_ROOM = { status: 503, code: "gateway_overloaded", message: /no memory left for long replies/ } as const;

const { json: conversation } = await service.request("POST", "/v1/conversations");
const items = `/v1/conversations/${conversation.id}/items`;
const add = (): Promise<Reply> => {
  const headers = { "idempotency-key": "added" };
  return service.request("POST", items, { headers, body: { items: [{ role: "user", content: "x".repeat(LONG) }] } });
};
const { first_id: itemId } = (await add()).json;

/** Opens a request whose reply it never reads. */
function openUnread({ baseUrl, key }: TestService, path: string): Socket {
  const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1");
  socket.on("error", () => {}).pause();
  after(() => socket.destroy());
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`);
  return socket;
}

/** An unread reply that takes all room until the connection is closed. */
async function takeAllRoom(): Promise<Socket> {
  const socket = openUnread(service, `${items}/${itemId}`);
  // The request of this process would take the room if it came first.
  await once(socket, "readable");
  await until("no room", async () => (await service.request("GET", `${items}/${itemId}`)).status === 503);
  return socket;
}

const untilRoom = () => until("room", async () => (await service.request("GET", `${items}/${itemId}`)).status === 200);

service.provider.plays([[{ type: "text", text: "y".repeat(3 * MIB) }], FINISHED]);
const create = { input: "Hi", instructions: "z".repeat(100_000) };
const retry = (more = {}) => service.create({ ...create, ...more }, { headers: { "idempotency-key": "created" } });
const { json: response } = await retry();

/** Everything that replies with stored content. */
const reads: Readonly<Record<string, () => Promise<Reply>>> = {
  "an item": () => service.request("GET", `${items}/${itemId}`),
  "a page": () => service.request("GET", items),
  "a response": () => service.request("GET", `/v1/responses/${response.id}`),
  "a cancelled response": () => service.request("POST", `/v1/responses/${response.id}/cancel`),
  "a retry of a create": () => retry(),
  "a retry that added items": add,
};

describe("while replies take all room", () => {
  test("whatever replies with long content is 503 with Retry-After", async () => {
    const unread = await takeAllRoom();
    for (const [name, read] of Object.entries(reads)) {
      const reply = await read();
      assertApiError(reply, NO_ROOM);
      assert.equal(reply.headers["retry-after"], "1", name);
    }
    unread.destroy();
    await untilRoom();
    for (const [name, read] of Object.entries(reads)) {
      assert.equal((await read()).status, 200, name);
    }
  });

  test("items whose list would be long are not added", async () => {
    const unread = await takeAllRoom();
    const { json: empty } = await service.request("POST", "/v1/conversations");
    const path = `/v1/conversations/${empty.id}/items`;
    const body = { items: [{ role: "user", content: "x".repeat(MIB) }] };
    assertApiError(await service.request("POST", path, { body }), NO_ROOM);
    assert.deepEqual((await service.request("GET", path)).json.data, []);
    unread.destroy();
    await untilRoom();
    assert.equal((await service.request("POST", path, { body })).json.data[0].content[0].text.length, MIB);
  });

  test("short replies need no room", async () => {
    const unread = await takeAllRoom();
    service.provider.plays([[{ type: "text", text: "short" }], FINISHED]);
    const { status, json } = await service.create({ input: "Hi" });
    assert.equal(status, 200);
    assert.equal((await service.request("GET", `/v1/responses/${json.id}`)).json.output[0].content[0].text, "short");
    unread.destroy();
    await untilRoom();
  });
});

test("a reader that reads nothing is cut off, and its room is free", async () => {
  const socket = await takeAllRoom();
  // At first the buffers of the system are filled.
  await until("the cut", async () => {
    await service.clock.advance(30_000);
    return service.logged.some(({ event }) => event === "reply.reader_too_slow");
  });
  await untilRoom();
  socket.resume();
  await until("the cut", () => socket.closed);
  assert.ok(socket.bytesRead < LONG);
});

test("one key leaves room for others", async () => {
  await withService({ limits: { replies_in_hand_bytes: 64 * MIB } }, async (roomy) => {
    const { secret } = await roomy.newKey((await roomy.newOrganization()).organizationId);
    const longItem = async (key: string, characters: number): Promise<string> => {
      const body = { items: [{ role: "user", content: "x".repeat(characters) }] };
      const { json } = await roomy.request("POST", "/v1/conversations", { key, body: {} });
      const path = `/v1/conversations/${json.id}/items`;
      return `${path}/${(await roomy.request("POST", path, { key, body })).json.first_id}`;
    };
    const [mine, theirs] = [await longItem(roomy.key, LONG), await longItem(secret, MIB)];
    const unread = [openUnread(roomy, mine), openUnread(roomy, mine)];
    await Promise.all(unread.map((socket) => once(socket, "readable")));
    await until("no room", async () => (await roomy.request("GET", mine)).status === 503);
    assert.equal((await roomy.request("GET", theirs, { key: secret })).status, 200);
    for (const socket of unread) socket.destroy();
  });
});
