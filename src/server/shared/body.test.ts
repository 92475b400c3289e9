import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { ConnectionLost, readPlainBody } from "./body.ts";
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
