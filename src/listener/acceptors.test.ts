import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { test } from "node:test";
import { acceptBeside, CAN_SHARE_ADDRESS, needFreeAddress } from "./acceptors.ts";

const CLIENTS = 64;
const skip = CAN_SHARE_ADDRESS ? false : "this system spreads no connections over several sockets";

/** A server that answers each request with its path, and how many turns of the event loop it takes to take up a burst of clients. */
async function takeUp(sockets: number) {
  const server = createServer((request, response) => response.end(request.url));
  server.listen({ port: 0, host: "127.0.0.1", backlog: CLIENTS, reusePort: true });
  await once(server, "listening");
  const stopBeside = await acceptBeside(server, { sockets: sockets - 1, backlog: CLIENTS });
  const { port } = server.address() as AddressInfo;
  let taken = 0;
  server.on("connection", () => taken++);
  const clients: Socket[] = Array.from({ length: CLIENTS }, () => connect(port, "127.0.0.1"));
  for (let turns = 0; ; ) {
    await new Promise((resolve) => setImmediate(resolve));
    if (taken > 0) turns++;
    if (taken >= CLIENTS) return { server, clients, turns, stopBeside };
  }
}

async function stop({ server, clients, stopBeside }: Awaited<ReturnType<typeof takeUp>>): Promise<void> {
  for (const client of clients) client.destroy();
  server.close();
  await stopBeside();
}

test("a burst of connections is taken up in a few turns of the event loop, not one a turn", { skip }, async () => {
  const [alone, beside] = [await takeUp(1), await takeUp(CLIENTS)];
  assert.ok(alone.turns >= CLIENTS - 1, `${alone.turns} turns with one socket`);
  assert.ok(beside.turns <= CLIENTS / 2, `${beside.turns} turns with ${CLIENTS} sockets`);
  await Promise.all([stop(alone), stop(beside)]);
});

test("connections of every socket are the server's own: answered, counted, closed by it", { skip }, async () => {
  const taken = await takeUp(8);
  const answers = taken.clients.map(async (client, index) => {
    client.write(`GET /${index} HTTP/1.1\r\nhost: x\r\n\r\n`);
    const [answer] = (await once(client, "data")) as [Buffer];
    assert.match(answer.toString(), new RegExp(`/${index}$`));
  });
  await Promise.all(answers);
  const ends = taken.clients.map((client) => once(client, "close"));
  taken.server.closeAllConnections();
  await Promise.all(ends);
  await stop(taken);
});

test("an address that somebody else listens on is not shared", { skip }, async () => {
  const taken = await takeUp(2);
  const { port } = taken.server.address() as AddressInfo;
  await assert.rejects(needFreeAddress({ host: "127.0.0.1", port }), { code: "EADDRINUSE" });
  await stop(taken);
  await needFreeAddress({ host: "127.0.0.1", port });
});
