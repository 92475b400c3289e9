// What each ending of a turn is charged: for what its usage says, and nothing where nothing ran. @spec states-and-transitions
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { headOf } from "../../support/turns.ts";
import { TESTS } from "../../support/actor.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { credits, PRICED_MODELS, Purse } from "../../support/money.ts";
import { assertRefused } from "../../support/refused.ts";
import { type Act, calls, fails, gate, says, USAGE } from "../../support/scripted-provider.ts";
import { TestService, withService } from "../../support/service.ts";
import { until } from "../../support/until.ts";

const service = await TestService.start({ models: PRICED_MODELS });
after(() => service.close());

/** What USAGE costs: 7 fresh tokens, 2 from a cache, 1 written to it, 5 put out. */
const CHARGE = credits(0.7 + 0.02 + 0.1 + 0.5);
/** What the first 1,000 tokens of an input of one token hold. */
const HOLD = credits(100.1);
const RICH = 100_000;
const never = new Promise<never>(() => {});
const hundredTokens: Act = [{ type: "text", text: "four".repeat(100) }];

const openStream = (purse: Purse, body: object = {}) =>
  LiveStream.open({ baseUrl: service.baseUrl, key: purse.key }, { model: "test/priced", input: "Hi", ...body });

describe("a turn that ended is charged for the usage that it reports", () => {
  test("completed: by what the provider counted", async () => {
    const purse = await Purse.open(service, RICH);
    const { json } = await purse.create({ input: "Hi" });
    assert.deepEqual(purse.transfersOf(json.id), [
      ["hold", HOLD],
      ["settle", CHARGE],
      ["release", HOLD - CHARGE],
    ]);
    await purse.agrees(CHARGE);
  });

  test("incomplete: by what the provider counted", async () => {
    const purse = await Purse.open(service, RICH);
    service.provider.plays([
      hundredTokens,
      [
        { type: "usage", usage: USAGE },
        { type: "finished", incompleteReason: "max_output_tokens" },
      ],
    ]);
    assert.equal((await purse.create({ input: "Hi" })).json.status, "incomplete");
    await purse.agrees(CHARGE);
  });

  test("a provider that does not stop at max_output_tokens: by what was put out", async () => {
    const purse = await Purse.open(service, RICH);
    service.provider.plays([...Array.from({ length: 4 }, () => hundredTokens), never]);
    const { json } = await purse.create({ input: "Hi", max_output_tokens: 64 });
    assert.equal(json.incomplete_details.reason, "max_output_tokens");
    await purse.agrees(credits((json.usage.input_tokens + json.usage.output_tokens) / 10));
  });

  test("cancelled: by what was put out, the input with it", async () => {
    const purse = await Purse.open(service, RICH);
    service.provider.plays([hundredTokens, never]);
    const stream = await openStream(purse);
    await stream.sees("response.output_text.delta");
    assert.equal((await purse.cancel(stream.id)).json.usage.total_tokens, 101);
    await purse.agrees(credits(10.1));
  });

  test("cancelled before anything was put out: nothing", async () => {
    const purse = await Purse.open(service, RICH);
    service.provider.plays([never]);
    const stream = await openStream(purse);
    await stream.sees("response.in_progress");
    assert.equal((await purse.cancel(stream.id)).json.usage.total_tokens, 0);
    assert.deepEqual(purse.transfersOf(stream.id), [
      ["hold", HOLD],
      ["void", HOLD],
    ]);
    await purse.agrees(0n);
  });

  test("deleted while it ran: by what was put out", async () => {
    const purse = await Purse.open(service, RICH);
    service.provider.plays([hundredTokens, never]);
    const stream = await openStream(purse);
    await stream.sees("response.output_text.delta");
    const path = `/v1/responses/${stream.id}`;
    assert.equal((await service.request("DELETE", path, { key: purse.key })).json.deleted, true);
    assert.equal((await purse.retrieve(stream.id)).status, 404);
    await purse.agrees(credits(10.1));
  });

  test("failed with output: by what was put out", async () => {
    const purse = await Purse.open(service, RICH);
    service.provider.plays([hundredTokens, fails("provider_unavailable")]);
    const response = (await purse.stream({ input: "Hi" })).events.at(-1)?.data.response;
    assert.deepEqual([response.status, response.usage.total_tokens], ["failed", 101]);
    await purse.agrees(credits(10.1));
  });

  test("failed after the provider told its input: by that", async () => {
    const purse = await Purse.open(service, RICH);
    const usage = { ...USAGE, output_tokens: 0, total_tokens: 10 };
    service.provider.plays([[{ type: "usage", usage }], fails("provider_error")]);
    assert.equal((await purse.create({ input: "Hi" })).json.error.code, "provider_error");
    await purse.agrees(CHARGE - credits(0.5));
  });

  test("failed before anything was put out: nothing", async () => {
    const purse = await Purse.open(service, RICH);
    service.provider.plays([fails("provider_client_error")]);
    const { json } = await purse.create({ input: "Hi" });
    assert.deepEqual([json.status, json.usage.total_tokens], ["failed", 0]);
    await purse.agrees(0n);
  });

  test("taken back as an HTTP error: nothing, nor is it counted anywhere", async () => {
    const purse = await Purse.open(service, RICH, [[{ scope: "organization", id: null, period: "total" }, 200]]);
    service.provider.plays([hundredTokens, fails("provider_unavailable")]);
    assertRefused(await purse.create({ input: "Hi" }), { status: 502, code: "provider_unavailable" });
    await purse.agrees(0n);
    const { organizationId } = purse;
    const [sums] = await service.store.readUsage({ organizationId, by: null, fromDay: null, toDay: null });
    assert.equal(sums?.responses, 0);
    const [budget] = await service.store.listBudgets({ organizationId });
    assert.deepEqual([budget?.spentNano, budget?.heldNano], [0n, 0n]);
  });

  test("of a key that was revoked meanwhile: like any other", async () => {
    const purse = await Purse.open(service, RICH);
    const { opened, open } = gate();
    service.provider.plays([opened, ...(says("done") as Act[])]);
    const stream = await openStream(purse);
    await service.store.revokeKey({ by: TESTS, keyId: purse.keyId, revokedAt: 1 });
    open();
    await stream.closed;
    assert.equal(stream.events.at(-1)?.event, "response.completed");
    await purse.agrees(CHARGE);
  });

  test("at the prices of its tier", async () => {
    const purse = await Purse.open(service, RICH);
    const long = { ...USAGE, input_tokens: 11 };
    service.provider.plays([
      [
        { type: "usage", usage: long },
        { type: "finished", incompleteReason: null },
      ],
    ]);
    await purse.create({ model: "test/tiered", input: "Hi" });
    await purse.agrees(2n * (CHARGE + credits(0.1)));
    await purse.create({ model: "test/tiered", input: "Hi" });
    await purse.agrees(2n * (CHARGE + credits(0.1)) + CHARGE);
  });

  test("of a free model: nothing, and nothing is held", async () => {
    const purse = await Purse.open(service, 1);
    const { json } = await purse.create({ model: "test/all", input: "Hi" });
    assert.deepEqual(purse.transfersOf(json.id), []);
    await purse.agrees(0n);
  });
});

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

test("a retry by its key is not charged again", async () => {
  const purse = await Purse.open(service, RICH);
  const headers = { "idempotency-key": "k" };
  const first = await purse.create({ input: "Hi" }, headers);
  assert.deepEqual((await purse.create({ input: "Hi" }, headers)).json, first.json);
  await purse.agrees(CHARGE);
});

test("a charge above what was held takes the rest from the balance; what that can't pay the service bears, and logs", async () => {
  const purse = await Purse.open(service, 200);
  const usage = { ...USAGE, output_tokens: 1500, total_tokens: 1510 };
  const overrun: Act = [
    { type: "usage", usage },
    { type: "finished", incompleteReason: null },
  ];
  const charge = CHARGE + credits(149.5);
  service.provider.plays([overrun]);
  const first = await purse.create({ input: "Hi" });
  assert.deepEqual(purse.transfersOf(first.json.id), [
    ["hold", HOLD],
    ["extend", charge - HOLD],
    ["settle", charge],
  ]);
  await purse.agrees(charge);
  service.provider.plays([overrun]);
  const second = await purse.create({ input: "Hi", max_output_tokens: 100 });
  const left = credits(200) - charge;
  assert.deepEqual(purse.transfersOf(second.json.id), [
    ["hold", credits(10.1)],
    ["extend", left - credits(10.1)],
    ["shortfall", charge - left],
    ["settle", charge],
  ]);
  await purse.agrees(2n * charge);
  assert.equal((await purse.balance()).credits, 0n);
  const { fields } = service.logged.findLast(({ event }) => event === "turn.shortfall") ?? assert.fail("not logged");
  assert.deepEqual(fields, {
    response_id: second.json.id,
    model: "test/priced",
    shortfall_nano: String(charge - left),
    charged_nano: String(charge),
  });
});

test("a turn that waits holds, and returns it when it is cancelled before it runs", async () => {
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

test("a stop of the service settles what ran, charged by what was put out", async () => {
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

test("a turn that a crash left running is charged nothing: its hold is voided at the next start", async () => {
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
    } as const;
    await crashed.store.beginTurn({ ...begin, placement: { kind: "new" }, funds: { prices, holdNano: HOLD } });
    assert.equal((await purse.balance()).held, HOLD);
    await crashed.restart();
    const { json } = await purse.retrieve(head.id);
    assert.deepEqual([json.error.code, json.usage.total_tokens], ["run_failed", 0]);
    assert.deepEqual(purse.transfersOf(head.id), [
      ["hold", HOLD],
      ["void", HOLD],
    ]);
    await purse.agrees(0n);
  });
});
