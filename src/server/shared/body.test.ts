import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import fc from "../../../test/support/fast-check.ts";
import { BodyChunks, ConnectionLost, readPlainBody } from "./body.ts";
import { BodyCapacity, BodyReservation } from "./body-capacity.ts";
import { readHead } from "./request-head.ts";

/** A request whose client has disconnected after sending part of its body. */
async function abandoned(): Promise<IncomingMessage> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n{");
  const [request] = (await once(server, "request")) as [IncomingMessage];
  const closed = new Promise((resolve) => request.on("error", () => {}).on("close", resolve));
  client.destroy();
  await closed;
  server.close();
  return request;
}

test("reading the body of a client that has already disconnected fails at once", async () => {
  const request = await abandoned();
  const owner = { organizationId: "a", keyId: "a" };
  const bounds = { bytesMax: 100, reservation: new BodyReservation(new BodyCapacity(100, 100), () => owner) };
  await assert.rejects(readPlainBody(request, readHead(request), bounds), ConnectionLost);
});

const KIBIBYTE = 1024;

test("the bytes are the same, however they are cut, and whether their number is known", () => {
  const length = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 4000, max: 4200 }), fc.constant(65_536));
  fc.assert(
    fc.property(fc.array(length, { maxLength: 40 }), fc.boolean(), (lengths, isKnown) => {
      const all = lengths.map((size, index) => Buffer.alloc(size, index + 1));
      const whole = Buffer.concat(all);
      const chunks = new BodyChunks(isKnown ? whole.length : 0);
      for (const chunk of all) chunks.add(chunk);
      assert.equal(chunks.length, whole.length);
      assert.deepEqual(chunks.whole(), whole);
    }),
  );
});

test("one chunk is not copied", () => {
  const chunks = new BodyChunks(2);
  const only = Buffer.from("{}");
  chunks.add(only);
  assert.equal(chunks.whole().buffer, only.buffer);
  assert.equal(chunks.whole().byteOffset, only.byteOffset);
});

test("a body that arrives byte by byte takes at most twice what has arrived, however much is announced", () => {
  for (const [expected, most] of [
    [1000 * KIBIBYTE, 1000],
    [0, 2000],
  ] as const) {
    const chunks = new BodyChunks(expected);
    for (let at = 0; at < 1000 * KIBIBYTE; at++) {
      chunks.add(Buffer.from([at & 0xff]));
      const kept = chunks.bytesKept;
      assert.ok(kept <= 2 * chunks.length, `${kept} bytes for ${chunks.length}`);
    }
    assert.equal(chunks.length, 1000 * KIBIBYTE);
    assert.ok(chunks.bytesKept <= most * KIBIBYTE, `${chunks.bytesKept} bytes`);
  }
});

test("a short body in two chunks takes little more than its bytes", () => {
  for (const [first, second] of [
    [1, 1],
    [10, 600],
    [3000, 3000],
  ] as const) {
    const chunks = new BodyChunks(0);
    // A buffer of its own, as those that a socket reads into.
    chunks.add(Buffer.allocUnsafeSlow(first));
    chunks.add(Buffer.allocUnsafeSlow(second));
    assert.ok(chunks.bytesKept <= Math.max(600, 3 * (first + second)), `${chunks.bytesKept} bytes`);
  }
});

test("nothing is kept once it is cleared", () => {
  const chunks = new BodyChunks(0);
  for (const size of [10, 10, 5000]) chunks.add(Buffer.alloc(size));
  chunks.clear();
  assert.equal(chunks.bytesKept, 0);
});
