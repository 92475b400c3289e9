// Buffered bodies are bounded in bytes: a body without room is rejected before it is read. docs/decisions/bodies.md
// docs/reliability.md, A-1, A-9
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { test } from "node:test";
import type { Reply } from "../../support/http-client.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { FINISHED, gate } from "../../support/scripted-provider.ts";
import { serviceForFile, withService } from "../../support/service.ts";
import { until } from "../../support/until.ts";

const ROOM = 256 * 1024;
const service = await serviceForFile({ limits: { body_bytes: ROOM, bodies_in_hand_bytes: ROOM } });

const NO_ROOM = { status: 503, code: "gateway_overloaded", message: /memory left for request bodies/ } as const;

/** A create of so many bytes, nearly all in one field. */
const bodyOf = (bytes: number, member: "z" | "instructions" = "z") =>
  JSON.stringify({ model: "test/all", input: "Hi", [member]: "x".repeat(bytes - 60) });
const post = (body: string, headers: Record<string, string | string[]> = {}): Promise<Reply> =>
  service.request("POST", "/v1/responses", { body, headers });

/**
 * A create whose client sends all but the last byte of its body, and that when the test says so. It is sent again as long
 * as the bodies of other requests leave it no room.
 */
function almostSend(body: string): { finish(): Promise<number>; leave(): void } {
  const { promise: status, resolve } = Promise.withResolvers<number>();
  const headers = { authorization: `Bearer ${service.key}`, "content-length": Buffer.byteLength(body) };
  let isFinished = false;
  const send = () => {
    const sent = httpRequest(`${service.baseUrl}/v1/responses`, { method: "POST", headers, agent: false });
    sent.on("response", (reply) => {
      if (reply.resume().statusCode !== 503 || isFinished) return resolve(reply.statusCode ?? 0);
      sent.removeAllListeners("error").on("error", () => {});
      sent.destroy();
      current = send();
      return undefined;
    });
    sent.on("error", () => resolve(0));
    sent.write(body.slice(0, -1));
    return sent;
  };
  let current = send();
  return {
    finish: () => {
      isFinished = true;
      current.end(body.slice(-1));
      return status;
    },
    leave: () => void current.destroy(),
  };
}

/** Waits until a body of so many bytes is rejected, or accepted. */
async function untilPost(status: number, bytes: number): Promise<Reply> {
  let reply = await post(bodyOf(bytes));
  await until(`a ${status}`, async () => {
    if (reply.status !== status) reply = await post(bodyOf(bytes));
    return reply.status === status;
  });
  return reply;
}

test("a large body is rejected while another takes its room, before it is read; small ones are served", async () => {
  const first = almostSend(bodyOf(200 * 1024));
  const rejected = await untilPost(503, 200 * 1024);
  assertApiError(rejected, NO_ROOM);
  assert.equal(rejected.headers["retry-after"], "1");
  assert.equal(rejected.headers["x-should-retry"], "true");
  assert.equal((await post(bodyOf(60 * 1024))).status, 200);
  assert.equal(await first.finish(), 200);
  assert.equal((await post(bodyOf(200 * 1024))).status, 200);
});

test("a client that disconnects frees its room", async () => {
  const first = almostSend(bodyOf(200 * 1024));
  await untilPost(503, 200 * 1024);
  first.leave();
  await untilPost(200, 200 * 1024);
});

test("a chunked body takes room as it grows, and is rejected when there is none", async () => {
  const chunked = { "transfer-encoding": "chunked", "content-length": [] };
  assert.equal((await post(bodyOf(200 * 1024), chunked)).status, 200);
  const first = almostSend(bodyOf(200 * 1024));
  await untilPost(503, 200 * 1024);
  assertApiError(await post(bodyOf(200 * 1024), chunked), NO_ROOM);
  assert.equal((await post(bodyOf(1024), chunked)).status, 200);
  assert.equal(await first.finish(), 200);
});

test("an error of any kind frees the room, and consumes no key", async () => {
  const key = { "idempotency-key": "room" };
  const invalid = bodyOf(200 * 1024).replace('"Hi"', "7");
  for (let time = 0; time < 3; time++)
    assertApiError(await post(invalid), { status: 400, code: "invalid_input", param: "input" });
  const first = almostSend(bodyOf(200 * 1024));
  await untilPost(503, 200 * 1024);
  assertApiError(await post(bodyOf(200 * 1024), key), NO_ROOM);
  assert.equal(await first.finish(), 200);
  assert.equal((await post(bodyOf(200 * 1024), key)).status, 200);
});

for (const [what, member, meanwhile] of [
  ["what it keeps of its body takes room until it has ended", "instructions", 503],
  ["what nobody read of its body takes none", "z", 200],
] as const) {
  test(`while a turn runs, ${what}`, async () => {
    const { opened, open } = gate();
    const asked = service.provider.calls.length;
    service.provider.plays([opened, FINISHED]);
    const running = post(bodyOf(200 * 1024, member));
    await until("the provider to be asked", () => service.provider.calls.length > asked);
    const other = await post(bodyOf(200 * 1024));
    assert.equal(other.status, meanwhile, other.text);
    open();
    assert.equal((await running).status, 200);
    assert.equal((await untilPost(200, 200 * 1024)).status, 200);
  });
}

test("the other operations that read a body are bounded likewise", async () => {
  const first = almostSend(bodyOf(200 * 1024));
  await untilPost(503, 200 * 1024);
  const reply = await service.request("POST", "/v1/conversations", { body: bodyOf(200 * 1024) });
  assertApiError(reply, NO_ROOM);
  assert.equal(await first.finish(), 200);
  assert.equal((await service.request("POST", "/v1/conversations", { body: bodyOf(200 * 1024) })).status, 200);
});

test("bodies that are declared and not sent take no room", async () => {
  const headers = { authorization: `Bearer ${service.key}`, "content-length": ROOM };
  const silent = Array.from({ length: 30 }, (_, at) => {
    const sent = httpRequest(`${service.baseUrl}/v1/responses`, { method: "POST", headers, agent: false });
    sent.on("error", () => {}).flushHeaders();
    if (at % 2 === 0) sent.write("{");
    return sent;
  });
  try {
    await Promise.all(silent.map((sent) => once(sent, "socket")));
    for (let turn = 0; turn < 5; turn++) assert.equal((await post(bodyOf(200 * 1024))).status, 200);
  } finally {
    for (const sent of silent) sent.destroy();
  }
});

test("a declared body that could not fit now is rejected before it is sent", async () => {
  const first = almostSend(bodyOf(200 * 1024));
  await untilPost(503, 200 * 1024);
  const headers = { authorization: `Bearer ${service.key}`, "content-length": 200 * 1024 };
  const sent = httpRequest(`${service.baseUrl}/v1/responses`, { method: "POST", headers, agent: false });
  sent.on("error", () => {}).flushHeaders();
  const [reply] = (await once(sent, "response")) as [IncomingMessage];
  assert.equal(reply.statusCode, 503);
  sent.destroy();
  assert.equal(await first.finish(), 200);
});

test("sixteen large bodies that one key trickles do not hold each other up, nor anybody else", () =>
  withService({ limits: { body_bytes: 1024 * 1024, bodies_in_hand_bytes: 2 * 1024 * 1024 } }, async (busy) => {
    const { organizationId } = await busy.newOrganization();
    const { secret: key } = await busy.newKey(organizationId);
    const body = bodyOf(1024 * 1024 - 100);
    const headers = { authorization: `Bearer ${busy.key}`, "content-length": Buffer.byteLength(body) };
    const statuses: number[] = [];
    const bodies = Array.from({ length: 16 }, () => {
      const sent = httpRequest(`${busy.baseUrl}/v1/responses`, { method: "POST", headers, agent: false });
      sent.on("error", () => {}).on("response", (reply) => void statuses.push(reply.resume().statusCode ?? 0));
      return sent;
    });
    const PIECE = 64 * 1024;
    for (let at = 0; at < body.length; at += PIECE) {
      const piece = body.slice(at, at + PIECE);
      await Promise.all(bodies.map((sent) => new Promise((resolve) => sent.write(piece, resolve))));
      for (const bytes of [1024, 200 * 1024]) {
        const reply = await busy.request("POST", "/v1/responses", { key, body: bodyOf(bytes) });
        assert.equal(reply.status, 200, reply.text);
      }
    }
    for (const sent of bodies) sent.end();
    await until("a reply to each", () => statuses.length === 16);
    const served = statuses.filter((status) => status === 200).length;
    assert.ok(served >= 1 && statuses.every((status) => status === 200 || status === 503), statuses.join(" "));
  }));
