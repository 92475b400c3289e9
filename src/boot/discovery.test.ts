// Discovery: when servers are looked at, and which of their models are served.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { HOUR_MS, MINUTE_MS } from "../base/time.ts";
import { buildCatalog } from "../config/catalog.ts";
import type { Config } from "../config/config.ts";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { read } from "../../test/support/config.ts";
import { createDiscovery } from "./discovery.ts";

let served: readonly string[] | null = [];
let looks = 0;
const server = createServer((_, response) => {
  looks++;
  if (served === null) response.writeHead(500);
  response.end(JSON.stringify({ data: (served ?? []).map((id) => ({ id })) }));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
after(() => server.closeAllConnections());
after(() => server.close());
const { port } = server.address() as AddressInfo;
const yaml = (path: string) =>
  `providers: {local: {type: openai-compatible, base_url: 'http://127.0.0.1:${port}${path}', discover: true}}\ncatalog: none\n`;

function open() {
  const clock = new FakeClock();
  const discovery = createDiscovery(clock);
  const logged: string[] = [];
  const log = {
    info: (event: string) => void logged.push(event),
    warn: (event: string) => void logged.push(event),
  };
  return {
    clock,
    logged,
    look: (config: Config, which: "all" | "due" = "due") => discovery.look(config, which, log),
    serve: async (config: Config) => discovery.watch(await buildCatalog(config, discovery.found())),
  };
}

const idsOf = async (opened: ReturnType<typeof open>, config: Config) =>
  (await opened.serve(config)).models.map(({ id }) => id);

test("a server's models are served, looked at again after an hour, and after a minute if there was no list", async () => {
  const config = await read(yaml("/v1"));
  const opened = open();
  looks = 0;
  served = null;
  assert.equal(await opened.look(config, "all"), false);
  assert.deepEqual(opened.logged, ["models.discovery_failed"]);
  served = ["a", "b/c", "../d"];
  assert.equal(await opened.look(config), false);
  assert.equal(looks, 1);
  await opened.clock.advance(MINUTE_MS);
  assert.equal(await opened.look(config), true);
  assert.deepEqual(await idsOf(opened, config), ["local/a", "local/b/c"]);
  await opened.clock.advance(HOUR_MS - 1);
  assert.equal(await opened.look(config), false);
  assert.equal(looks, 2);
  served = ["a", "new"];
  await opened.clock.advance(1);
  assert.equal(await opened.look(config), true);
  assert.deepEqual(await idsOf(opened, config), ["local/a", "local/new", "local/b/c"]);
  // A model goes when two lists in succession lack it: a starting server lists nothing for a while.
  served = [];
  await opened.clock.advance(MINUTE_MS - 1);
  assert.equal(await opened.look(config), false);
  served = ["a", "new"];
  await opened.clock.advance(1);
  assert.equal(await opened.look(config), true);
  assert.deepEqual(await idsOf(opened, config), ["local/a", "local/new"]);
});

test("a list that lacks models for one look takes none away", async () => {
  const config = await read(yaml("/v1"));
  const opened = open();
  served = ["a", "b"];
  await opened.look(config, "all");
  served = [];
  assert.equal(await opened.look(config, "all"), false);
  served = ["b", "a"];
  await opened.clock.advance(MINUTE_MS);
  assert.equal(await opened.look(config), false);
  served = ["b"];
  await opened.look(config, "all");
  assert.deepEqual((await idsOf(opened, config)).toSorted(), ["local/a", "local/b"]);
});

test("a model that vanishes stays as long as turns ask for it, and all stay while there is no list", async () => {
  const config = await read(yaml("/v1"));
  const opened = open();
  served = ["a", "b"];
  await opened.look(config, "all");
  const catalog = await opened.serve(config);
  assert.equal(catalog.find("local/b")?.id, "local/b");
  served = ["a"];
  await opened.look(config, "all");
  await opened.look(config, "all");
  assert.deepEqual(await idsOf(opened, config), ["local/a", "local/b"]);
  served = null;
  await opened.look(config, "all");
  assert.deepEqual(await idsOf(opened, config), ["local/a", "local/b"]);
  served = ["a"];
  await opened.look(config, "all");
  assert.deepEqual(await idsOf(opened, config), ["local/a"]);
});

test("another address is another server", async () => {
  const opened = open();
  served = ["a"];
  await opened.look(await read(yaml("/v1")), "all");
  served = null;
  const moved = await read(yaml("/v2"));
  assert.equal(await opened.look(moved, "all"), true);
  assert.deepEqual(await idsOf(opened, moved), []);
});
