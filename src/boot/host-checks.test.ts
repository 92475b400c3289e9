import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { familyOf } from "../../test/support/family-of.ts";
import { until } from "../../test/support/until.ts";
import { NO_PROXIES } from "../providers/wire/proxies.ts";
import { createHostChecks } from "./host-checks.ts";

let asked = 0;
/** It stays silent. */
const server = createServer(() => {
  asked++;
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
after(() => {
  server.closeAllConnections();
  server.close();
});
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const at = { family: familyOf("openai"), baseUrl, apiKey: "k", because: "a test" };
const config = {
  proxies: NO_PROXIES,
  providers: [
    { name: "hosted", ...at, hostSettings: { type: "azure" } },
    { name: "at its maker", ...at },
  ],
};

/** Looks once; resolves when the host is asked. */
async function look() {
  const before = asked;
  const clock = new FakeClock();
  const logged: unknown[] = [];
  const checks = createHostChecks(clock, { warn: (event, fields) => void logged.push([event, fields]) });
  checks.look(config);
  await until("the host is asked", () => asked === before + 1);
  return { clock, logged, checks };
}

test("a host that does not reply is a warning, and nothing waits afterwards", async () => {
  const { clock, logged } = await look();
  await clock.advance(10_000);
  await until("the warning", () => logged.length > 0);
  assert.deepEqual(logged, [
    ["provider.host_fault", { provider: "hosted", reason: `${baseUrl} can't be reached (no reply within 5 seconds)` }],
  ]);
  assert.equal(clock.pending, 0);
});

test("what is given up logs nothing", async () => {
  const { clock, logged, checks } = await look();
  checks.stop();
  await until("nothing waits", () => clock.pending === 0);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(logged, []);
});

test("without a host nothing is asked", () => {
  const clock = new FakeClock();
  createHostChecks(clock, { warn: () => assert.fail() }).look({ ...config, providers: config.providers.slice(1) });
  assert.equal(clock.pending, 0);
});
