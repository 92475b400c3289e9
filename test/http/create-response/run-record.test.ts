// What a run leaves for the log of turns: its times, and how its provider responded. docs/management.md (Responses)
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderCall } from "../../../src/ports/provider.ts";
import type { ResponseSettle } from "../../../src/ports/store/responses.ts";
import { type Act, fails, FINISHED, gate, says } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { until } from "../../support/until.ts";

const settled: ResponseSettle[] = [];
const service = await serviceForFile({
  hasPlainModels: true,
  limits: { concurrent_turns: 1 },
  wrapStore: (store) => ({
    ...store,
    settleResponse: (settle) => {
      settled.push(settle);
      return store.settleResponse(settle);
    },
  }),
});

const lastRecord = () => settled.at(-1)?.record;

test("a response records when its output began, when it ended, and the provider's response", async () => {
  const { opened: first, open: openFirst } = gate();
  const { opened: last, open: openLast } = gate();
  let isOut = false;
  service.provider.plays(function* (call: ProviderCall): Generator<Act> {
    call.onResponse?.({ status: 200, requestId: "req_provider" });
    yield first;
    yield [{ type: "text", text: "Hi" }];
    isOut = true;
    yield last;
    yield FINISHED;
  });
  const pending = service.create({ input: "Hi" });
  await until("the call", () => service.provider.calls.length === 1);
  await service.clock.advance(300);
  openFirst();
  await until("the output", () => isOut);
  await service.clock.advance(700);
  openLast();
  assert.equal((await pending).json.status, "completed");
  assert.deepEqual(lastRecord(), {
    queueMs: 0,
    firstOutputMs: 300,
    durationMs: 1000,
    attempts: 1,
    providerStatus: 200,
    providerRequestId: "req_provider",
  });
});

test("a retried call counts twice, and only the last response is kept", async () => {
  const failure = fails("provider_unavailable", { certainlyNotRun: true, status: 503, requestId: "req_first" });
  const pauses = () => service.logged.filter(({ event }) => event === "provider.retry").length;
  service.provider.plays([failure], says("ok"));
  const pending = service.create({ input: "Hi" });
  await until("the pause", () => pauses() === 1);
  await service.clock.advance(100);
  assert.equal((await pending).json.status, "completed");
  const { attempts, providerStatus, providerRequestId } = lastRecord()!;
  assert.deepEqual([attempts, providerStatus, providerRequestId], [2, null, null]);
});

test("a failure's response is kept", async () => {
  service.provider.plays([fails("provider_error", { status: 500, requestId: "req_bad" })]);
  assert.equal((await service.create({ input: "Hi" })).json.status, "failed");
  const { attempts, firstOutputMs, providerStatus, providerRequestId } = lastRecord()!;
  assert.deepEqual([attempts, firstOutputMs, providerStatus, providerRequestId], [1, null, 500, "req_bad"]);
});

test("a response that waited for a slot records how long", async () => {
  const { opened, open } = gate();
  const calls = service.provider.calls.length;
  service.provider.plays([opened, FINISHED]);
  const running = service.create({ input: "first" });
  await until("the call", () => service.provider.calls.length > calls);
  const waiting = service.create({ input: "second" });
  await until("the queue", () => service.gateway.runs.ofKey(service.keyId).length === 2);
  await service.clock.advance(50);
  open();
  await running;
  assert.equal((await waiting).json.status, "completed");
  assert.equal(lastRecord()?.queueMs, 50);
});
