// A credential service that stays silent holds no request for longer than anything waits for a token.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { until } from "../../test/support/until.ts";
import { NO_PROXIES } from "../providers/wire/proxies.ts";
import { hostLibraries } from "./libraries.ts";

let open = 0;
const server = createServer((request, response) => {
  open++;
  response.on("close", () => open--);
  if (request.url === "/whole") response.writeHead(201, { "x-one": "1" }).end("text");
  if (request.url === "/half") response.writeHead(200).write("half");
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
after(() => {
  server.closeAllConnections();
  server.close();
});
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

test("a request without a whole reply is aborted after ten seconds, and its connection closed", async () => {
  for (const path of ["/silent", "/half"]) {
    const clock = new FakeClock();
    const reply = hostLibraries(NO_PROXIES, clock).fetch(address + path, {});
    const lost = assert.rejects(reply, { name: "AbortError" });
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await until("the request is there", () => open === 1);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await clock.advance(10_000);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await lost;
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await until("the connection is closed", () => open === 0);
  }
});

test("a whole reply is given as it came, and nothing waits any longer", async () => {
  const clock = new FakeClock();
  const reply = await hostLibraries(NO_PROXIES, clock).fetch(`${address}/whole`, {});
  assert.deepEqual([reply.status, reply.headers.get("x-one"), await reply.text()], [201, "1", "text"]);
  assert.equal(clock.pending, 0);
});

test("the caller's own abort counts too", async () => {
  const stop = new AbortController();
  const reply = hostLibraries(NO_PROXIES, new FakeClock()).fetch(`${address}/silent`, { signal: stop.signal });
  const lost = assert.rejects(reply, { name: "AbortError" });
  stop.abort();
  await lost;
});
