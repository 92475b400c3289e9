// The charge of each ending of a response: by its reported usage, nothing when nothing ran.
// @spec states-and-transitions
import assert from "node:assert/strict";
import { test } from "node:test";
import { headOf } from "../../support/responses.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { credits, PRICED_MODELS, Purse } from "../../support/money.ts";
import { type Act, calls, fails, USAGE } from "../../support/scripted-provider.ts";
import { serviceForFile, withService } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { CHARGE, HOLD, hundredTokens, never, RICH } from "./charge.ts";

const service = await serviceForFile({ models: PRICED_MODELS });

const openStream = (purse: Purse, body: object = {}) =>
  LiveStream.open({ baseUrl: service.baseUrl, key: purse.key }, { model: "test/priced", input: "Hi", ...body });

test("each round of a tool loop is charged for its own usage; its response reports the sum", async () => {
  const purse = await Purse.open(service, RICH);
  const tools = [{ type: "function", name: "look_up" }];
  service.provider.plays(calls({ callId: "a" }));
  const first = await purse.create({ input: "Hi", tools });
  await purse.agrees(CHARGE);
  const output = { type: "function_call_output", call_id: "a", output: "found" };
  const second = await purse.create({ previous_response_id: first.json.id, input: [output] });
  assert.equal(second.json.usage.total_tokens, 2 * USAGE.total_tokens);
  await purse.agrees(2n * CHARGE);
});

test("a retry with the same Idempotency-Key is not charged again", async () => {
  const purse = await Purse.open(service, RICH);
  const headers = { "idempotency-key": "k" };
  const first = await purse.create({ input: "Hi" }, headers);
  assert.deepEqual((await purse.create({ input: "Hi" }, headers)).json, first.json);
  await purse.agrees(CHARGE);
});

test("a charge above the hold takes the rest from the balance; the shortfall is logged", async () => {
  const purse = await Purse.open(service, 200);
  const usage = { ...USAGE, output_tokens: 1500, total_tokens: 1510 };
  const overrun: Act = [
    { type: "usage", usage },
    { type: "finished", incompleteReason: null },
  ];
  const charge = CHARGE + credits(149.5);
  service.provider.plays([overrun]);
  const first = await purse.create({ input: "Hi" });
  assert.deepEqual(await purse.transfersOf(first.json.id), [
    ["hold", HOLD],
    ["extend", charge - HOLD],
    ["settle", charge],
  ]);
  await purse.agrees(charge);
  // Output beyond max_output_tokens is never charged: this time the input was underestimated.
  const input = 1010;
  const longer = { ...USAGE, input_tokens: input, total_tokens: input + 5 };
  const higher = CHARGE + credits(100);
  service.provider.plays([
    [
      { type: "usage", usage: longer },
      { type: "finished", incompleteReason: null },
    ],
  ]);
  const second = await purse.create({ input: "Hi", max_output_tokens: 100 });
  const left = credits(200) - charge;
  assert.deepEqual(await purse.transfersOf(second.json.id), [
    ["hold", credits(10.1)],
    ["extend", left - credits(10.1)],
    ["shortfall", higher - left],
    ["settle", higher],
  ]);
  await purse.agrees(charge + higher);
  assert.equal((await purse.balance()).credits, 0n);
  const { fields } = service.logged.findLast(({ event }) => event === "turn.shortfall") ?? assert.fail("not logged");
  assert.deepEqual(fields, {
    response_id: second.json.id,
    model: "test/priced",
    shortfall_nano: String(higher - left),
    charged_nano: String(higher),
  });
});

test("output beyond max_output_tokens is neither reported nor charged, whatever the provider counts", async () => {
  const purse = await Purse.open(service, RICH);
  const counted = {
    ...USAGE,
    output_tokens: 65,
    output_tokens_details: { reasoning_tokens: 65 },
    total_tokens: 75,
  };
  const limited = { ...counted, output_tokens: 64, output_tokens_details: { reasoning_tokens: 64 }, total_tokens: 74 };
  const ends: readonly Act[][] = [
    [
      [
        { type: "usage", usage: counted },
        { type: "finished", incompleteReason: null },
      ],
    ],
    [
      [
        { type: "usage", usage: counted },
        { type: "finished", incompleteReason: "max_output_tokens" },
      ],
    ],
    [[{ type: "usage", usage: counted }], fails("provider_error")],
  ];
  for (const [index, end] of ends.entries()) {
    service.provider.plays([[{ type: "text", text: "four" }], ...end]);
    const { json } = await purse.create({ input: "Hi", max_output_tokens: 64 });
    assert.equal(json.status, ["completed", "incomplete", "failed"][index]);
    assert.deepEqual(json.usage, limited);
  }
  // Cancelled after more characters than 64 tokens of four: the estimate is capped too.
  service.provider.plays([[{ type: "text", text: "x".repeat(300) }], never]);
  const stream = await openStream(purse, { max_output_tokens: 64 });
  await stream.sees("response.output_text.delta");
  assert.equal((await purse.cancel(stream.id)).json.usage.output_tokens, 64);
  await purse.agrees(3n * (CHARGE + credits(5.9)) + credits(6.5));
});

test("a queued response has a hold, which is released when it is cancelled before it runs", async () => {
  await withService({ models: PRICED_MODELS, limits: { concurrent_turns: 1 } }, async (busy) => {
    const purse = await Purse.open(busy, RICH);
    busy.provider.plays([never]);
    const at = { baseUrl: busy.baseUrl, key: purse.key };
    const running = await LiveStream.open(at, { model: "test/priced", input: "Hi" });
    const waiting = await LiveStream.open(at, { model: "test/priced", input: "Hi" });
    await waiting.sees("response.queued");
    assert.equal((await purse.balance()).held, 2n * HOLD);
    assert.equal((await purse.cancel(waiting.id)).json.status, "cancelled");
    assert.equal((await purse.balance()).held, HOLD);
    await purse.cancel(running.id);
    await purse.agrees(0n);
  });
});

test("a stop of the service settles running responses, charged by the output emitted", async () => {
  await withService({ models: PRICED_MODELS, limits: { drain_seconds: 5 } }, async (stopped) => {
    const purse = await Purse.open(stopped, RICH);
    stopped.provider.plays([hundredTokens, never]);
    const at = { baseUrl: stopped.baseUrl, key: purse.key };
    const stream = await LiveStream.open(at, { model: "test/priced", input: "Hi" });
    await stream.sees("response.output_text.delta");
    const restarted = stopped.restart();
    await until("it drains", () => stopped.gateway.isDraining());
    await stopped.clock.advance(5000);
    await restarted;
    assert.equal((await purse.retrieve(stream.id)).json.error.code, "run_failed");
    await purse.agrees(credits(10.1));
  });
});

test("a response that a crash left running costs nothing: its hold is voided at the next start", async () => {
  await withService({ models: PRICED_MODELS }, async (crashed) => {
    const purse = await Purse.open(crashed, RICH, [[{ scope: "organization", id: null, period: "total" }, 200]]);
    const head = headOf({ id: "resp_crashed", turnId: "resp_crashed", model: "test/priced" });
    const { organizationId, keyId } = purse;
    const prices = JSON.stringify({ input: 1e11, cached_input: 1e11, cache_write: 1e11, output: 1e11, tiers: [] });
    const begin = {
      caller: { organizationId, keyId },
      head,
      status: "in_progress",
      streamed: false,
      claim: null,
      requestId: "req_1",
      endUser: null,
      label: null,
    } as const;
    await crashed.store.beginResponse({
      ...begin,
      placement: { kind: "new" },
      calls: null,
      funds: { prices, holdNano: HOLD },
    });
    assert.equal((await purse.balance()).held, HOLD);
    await crashed.restart();
    const { json } = await purse.retrieve(head.id);
    assert.deepEqual([json.error.code, json.usage.total_tokens], ["run_failed", 0]);
    assert.deepEqual(await purse.transfersOf(head.id), [
      ["hold", HOLD],
      ["void", HOLD],
    ]);
    await purse.agrees(0n);
  });
});
