// What operators see of nodes, providers and the configuration.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { test } from "node:test";
import { DEFAULT_LIMITS } from "../../src/contract/limits.ts";
import { fails } from "../support/scripted-provider.ts";
import { managedForFile } from "./managed-service.ts";

const managed = await managedForFile({ limits: { drain_seconds: 3 } });

async function read(path: string) {
  const { status, json, text } = await managed.ask(managed.operator, "GET", path);
  assert.equal(status, 200, text);
  return json;
}

test("a provider's successes and failures, attempts by themselves, without a request of its own", async () => {
  const { service } = managed;
  const models = 7;
  const of = { name: "scripted", type: "simulated", models, targets: [] };
  const none = { calls: 0, failures: 0, by_code: [] };
  const fresh = { ...of, last_success_at: null, last_failure: null, recent: none };
  assert.deepEqual((await read("/providers")).data, [fresh]);
  assert.equal(service.provider.calls.length, 0);

  const at = Math.floor(service.clock.nowMs() / 1000);
  assert.equal((await service.create({ input: "Hi" })).status, 200);
  service.provider.plays([fails("provider_client_error", { status: 422, requestId: "req_up" })]);
  assert.equal((await service.create({ input: "Hi" })).json.status, "failed");
  const recent = { calls: 2, failures: 1, by_code: [{ code: "provider_client_error", failures: 1 }] };
  const failure = { at, code: "provider_client_error", status: 422, request_id: "req_up" };
  assert.deepEqual((await read("/providers")).data, [{ ...of, last_success_at: at, last_failure: failure, recent }]);
  assert.equal(service.provider.calls.length, 2);
});

test("without nodes the list is empty, and the process that answers says its version", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const name = `${hostname()}:${process.pid}`;
  assert.deepEqual(await read("/nodes"), { data: [], this_process: { name, version } });
});

test("the configuration in force", async () => {
  const shown = await read("/configuration");
  assert.deepEqual(shown.limits, { ...DEFAULT_LIMITS, drain_seconds: 3 });
  assert.equal(shown.store.root_secret, "set");
  assert.deepEqual(
    shown.providers.map(({ name }: { name: string }) => name),
    ["scripted"],
  );
  assert.ok(!JSON.stringify(shown).includes("a root secret for tests"));
});
