// The facts that a response keeps about a provider call that certainly did not run. docs/wire.md (Provider retries)
import assert from "node:assert/strict";
import { test } from "node:test";
import { fails, gate, says } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { until } from "../../support/until.ts";

const service = await serviceForFile({ hasPlainModels: true });

const notRun = fails("provider_unavailable", { certainlyNotRun: true });
const pauses = () => service.logged.filter(({ event }) => event === "provider.retry").length;

test("a call is retried however long the service has been running", async () => {
  await service.clock.advance(7 * 24 * 3_600_000);
  service.provider.plays([notRun], says("ok"));
  const pending = service.create({ input: "Hi" });
  await until("the pause", () => pauses() === 1);
  await service.clock.advance(100);
  assert.equal((await pending).json.status, "completed");
});

test("a call that failed just before the wait ended is retried, one that failed at its end is not", async () => {
  for (const [afterMs, tries] of [
    [89_999, 2],
    [90_000, 1],
  ] as const) {
    const { opened, open } = gate();
    const [called, paused] = [service.provider.calls.length, pauses()];
    service.provider.plays([opened, notRun], says("ok"));
    const stream = service.stream({ input: "Hi" });
    await until("the call", () => service.provider.calls.length > called);
    await service.clock.advance(afterMs);
    open();
    if (tries === 2) {
      await until("the pause", () => pauses() > paused);
      await service.clock.advance(100);
    }
    const { events } = await stream;
    assert.equal(events.at(-1)?.event, tries === 2 ? "response.completed" : "response.failed");
    assert.equal(service.provider.calls.length, called + tries);
    service.provider.forgets();
  }
});

test("the wait that a provider asks for is kept before the next call, if it ends within the wait", async () => {
  for (const [retryAfterSeconds, tries] of [
    [30, 2],
    [89, 2],
    [90, 1],
  ] as const) {
    const [called, paused] = [service.provider.calls.length, pauses()];
    service.provider.plays([fails("provider_overloaded", { certainlyNotRun: true, retryAfterSeconds })], says("ok"));
    const pending = service.create({ input: "Hi" });
    if (tries === 2) {
      await until("the pause", () => pauses() > paused);
      await service.clock.advance(retryAfterSeconds * 1000 - 1);
      assert.equal(service.provider.calls.length, called + 1);
      await service.clock.advance(1);
    }
    assert.equal((await pending).status, tries === 2 ? 200 : 502);
    assert.equal(service.provider.calls.length, called + tries);
    service.provider.forgets();
  }
});

test("a response reports what its last call reported, and nothing of a call that did not run", async () => {
  const usage = {
    input_tokens: 900,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 0,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 900,
  };
  const paused = pauses();
  service.provider.plays(
    [
      [
        { type: "warning", code: "of_the_first", message: "lost", param: null },
        { type: "usage", usage },
        { type: "finished", incompleteReason: "max_output_tokens" },
      ],
      notRun,
    ],
    [[{ type: "text", text: "four" }]],
  );
  const pending = service.create({ input: "1234", safety_identifier: null });
  await until("the pause", () => pauses() > paused);
  await service.clock.advance(100);
  const { json } = await pending;
  assert.equal(json.status, "completed");
  assert.equal("svc:warnings" in json, false);
  assert.deepEqual([json.usage.input_tokens, json.usage.output_tokens], [1, 1]);
});
