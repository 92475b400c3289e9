import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { test } from "node:test";
import { addListeningSockets, assertAddressFree, CAN_SHARE_ADDRESS } from "./acceptors.ts";

const CLIENTS = 64;
const skip = CAN_SHARE_ADDRESS ? false : "this system does not spread connections over several sockets";

/**
 * Starts a server that answers each request with its path, and counts the turns of the event loop until a burst is
 * accepted.
 */
async function acceptBurst(sockets: number) {
  const server = createServer((request, response) => response.end(request.url));
  server.listen({ port: 0, host: "127.0.0.1", backlog: CLIENTS, reusePort: true });
  await once(server, "listening");
  const stopSockets = await addListeningSockets(server, { sockets: sockets - 1, backlog: CLIENTS });
  const { port } = server.address() as AddressInfo;
  let count = 0;
  server.on("connection", () => count++);
  const clients: Socket[] = Array.from({ length: CLIENTS }, () => connect(port, "127.0.0.1"));
  for (let turns = 0; ; ) {
    await new Promise((resolve) => setImmediate(resolve));
    if (count > 0) turns++;
    if (count >= CLIENTS) return { server, clients, turns, stopSockets };
  }
}

async function stop({ server, clients, stopSockets }: Awaited<ReturnType<typeof acceptBurst>>): Promise<void> {
  for (const client of clients) client.destroy();
  server.close();
  await stopSockets();
}

test("a burst of connections is accepted in a few turns of the event loop, not one per turn", { skip }, async () => {
  const [one, many] = [await acceptBurst(1), await acceptBurst(CLIENTS)];
  assert.ok(one.turns >= CLIENTS - 1, `${one.turns} turns with one socket`);
  assert.ok(many.turns <= CLIENTS / 2, `${many.turns} turns with ${CLIENTS} sockets`);
  await Promise.all([stop(one), stop(many)]);
});

test("the server answers, counts and closes the connections of every socket", { skip }, async () => {
  const accepted = await acceptBurst(8);
  const answers = accepted.clients.map(async (client, index) => {
    client.write(`GET /${index} HTTP/1.1\r\nhost: x\r\n\r\n`);
    const [answer] = (await once(client, "data")) as [Buffer];
    assert.match(answer.toString(), new RegExp(`/${index}$`));
  });
  await Promise.all(answers);
  const ends = accepted.clients.map((client) => once(client, "close"));
  accepted.server.closeAllConnections();
  await Promise.all(ends);
  await stop(accepted);
});

test("an address that another server listens on is not shared", { skip }, async () => {
  const accepted = await acceptBurst(2);
  const { port } = accepted.server.address() as AddressInfo;
  await assert.rejects(assertAddressFree({ host: "127.0.0.1", port }), { code: "EADDRINUSE" });
  await stop(accepted);
  await assertAddressFree({ host: "127.0.0.1", port });
});
