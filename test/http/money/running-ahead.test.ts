// Output is paid for ahead of need, in slices, and waits while it is not paid for.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { PIECES_MAX } from "../../../src/core/response/output-builder.ts";
import type { ProviderPart } from "../../../src/ports/provider.ts";
import { StoreError } from "../../../src/ports/store/store.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { credits, PRICED_MODELS, Purse } from "../../support/money.ts";
import { fails, FINISHED, gate } from "../../support/scripted-provider.ts";
import { withService } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { ends, FAR, never, startRecorded, tokens, usageOf } from "./running-setup.ts";

const { service, holds } = await startRecorded();

describe("output is paid for ahead of need", () => {
  test("a long output takes few extensions, each requested when half of the last slice is used", async () => {
    const purse = await Purse.open(service, FAR);
    holds.extensions = [];
    service.provider.plays([...tokens(8000), ends(8000)]);
    const { json } = await purse.create({ input: "Hi", max_output_tokens: 8000 });
    assert.equal(json.status, "completed");
    // 1,000 at the start, then twice as many each time, up to the limit.
    assert.deepEqual(
      holds.extensions.map(({ grantedNano }) => grantedNano),
      [credits(200), credits(400), credits(100)],
    );
    assert.deepEqual(await purse.transfersOf(json.id), [
      ["hold", credits(100.1)],
      ["extend", credits(200)],
      ["extend", credits(400)],
      ["extend", credits(100)],
      ["settle", credits(800.1)],
    ]);
    await purse.agrees(credits(800.1));
  });

  test("no slice is longer than 16,000 tokens", async () => {
    const purse = await Purse.open(service, FAR);
    holds.extensions = [];
    service.provider.plays([...tokens(40_000), ends(40_000)]);
    const { json } = await purse.create({ model: "test/long", input: "Hi" });
    assert.equal(json.status, "completed");
    const granted = holds.extensions.map(({ grantedNano }) => Number(grantedNano / credits(0.1)));
    assert.deepEqual(granted, [2000, 4000, 8000, 16_000, 16_000, 16_000]);
    await purse.agrees(credits(4000.1));
  });

  test("a short output takes none", async () => {
    const purse = await Purse.open(service, FAR);
    holds.extensions = [];
    service.provider.plays([...tokens(500), ends(500)]);
    const { json } = await purse.create({ input: "Hi" });
    assert.deepEqual(holds.extensions, []);
    assert.deepEqual(await purse.transfersOf(json.id), [
      ["hold", credits(100.1)],
      ["settle", credits(50.1)],
      ["release", credits(50)],
    ]);
  });

  test("output that is not yet paid for waits, in order, until it is", async () => {
    const purse = await Purse.open(service, FAR);
    const { opened, open } = gate();
    holds.delay = opened;
    const parts = Array.from({ length: 500 }, (_, index): ProviderPart => ({ type: "text", text: `${1e9 + index}` }));
    service.provider.plays([
      parts,
      [
        { type: "call_started", index: 0, callId: "a", name: "f" },
        { type: "call_arguments", index: 0, delta: "{}" },
        { type: "call_finished", index: 0 },
      ],
      FINISHED,
    ]);
    const stream = await LiveStream.open(
      { baseUrl: service.baseUrl, key: purse.key },
      { model: "test/priced", max_output_tokens: 8000 },
    );
    await stream.sees("response.output_text.delta");
    const deltas = () => stream.events.filter(({ event }) => event === "response.output_text.delta").length;
    // 1,000 tokens are held; parts are of ten characters.
    await until("all that is paid for is emitted", () => deltas() === 400);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    assert.equal(deltas(), 400);
    assert.ok(!stream.events.some(({ event }) => event === "response.output_item.done"));
    open();
    await stream.closed;
    assert.equal(deltas(), 500);
    const response = stream.events.at(-1)?.data.response;
    assert.equal(response.status, "completed");
    assert.equal(response.output[0].content[0].text, parts.map((part) => ("text" in part ? part.text : "")).join(""));
    assert.equal(response.output[1].arguments, "{}");
    holds.delay = Promise.resolve();
    await purse.agrees(credits(0.8 + 0.5 + 0.02));
  });

  test("a part longer than the hold is paid for whole", async () => {
    const purse = await Purse.open(service, FAR);
    service.provider.plays([[{ type: "text", text: "four".repeat(5000) }], ends(5000)]);
    const { json } = await purse.create({ input: "Hi", max_output_tokens: 8000 });
    assert.equal(json.status, "completed");
    await purse.agrees(credits(500.1));
  });

  test("a part that nothing pays for is neither emitted nor charged", async () => {
    const purse = await Purse.open(service, 200);
    service.provider.plays([[{ type: "text", text: "four" }], [{ type: "text", text: "four".repeat(5000) }], never]);
    const { json } = await purse.create({ input: "Hi", max_output_tokens: 8000 });
    assert.equal(json.error.code, "insufficient_credits");
    assert.equal(json.output[0].content[0].text, "four");
    await purse.agrees(credits(0.2));
  });

  test("the provider's usage counts where it is more than the estimate", async () => {
    const purse = await Purse.open(service, 250);
    // Thinking that is not shown: 2,400 tokens.
    service.provider.plays([[{ type: "usage", usage: usageOf(1, 2400) }], ...tokens(200), never]);
    const { json } = await purse.create({ input: "Hi", max_output_tokens: 8000 });
    assert.equal(json.error.code, "insufficient_credits");
    assert.equal(json.output[0].content[0].text, "four".repeat(90));
    assert.equal(json.usage.output_tokens, 2400);
    await purse.agrees(credits(240.1));
  });

  test("a cancel while output waits to be paid for ends the response at once", async () => {
    const purse = await Purse.open(service, FAR);
    const { opened, open } = gate();
    holds.delay = opened;
    service.provider.plays([...tokens(2000), never]);
    const stream = await LiveStream.open(
      { baseUrl: service.baseUrl, key: purse.key },
      { model: "test/priced", max_output_tokens: 8000 },
    );
    await stream.sees("response.output_text.delta");
    const deltas = () => stream.events.filter(({ event }) => event === "response.output_text.delta").length;
    await until("all that is paid for is emitted", () => deltas() === 100);
    const cancelling = purse.cancel(stream.id);
    await until("the cancel has come", () => service.gateway.runs.find(stream.id)?.stopReason === "cancelled");
    open();
    const { json } = await cancelling;
    holds.delay = Promise.resolve();
    assert.equal(json.status, "cancelled");
    assert.equal(json.usage.output_tokens, 1000);
    await stream.closed;
    await purse.agrees(credits(100.1));
  });

  test("parts from before a failure are emitted and charged, even if they were waiting to be paid for", async () => {
    const purse = await Purse.open(service, FAR);
    const { opened, open } = gate();
    holds.delay = opened;
    service.provider.plays([[{ type: "text", text: "four".repeat(900) }], ...tokens(600), fails("provider_error")]);
    const running = purse.create({ input: "Hi", max_output_tokens: 8000 });
    await until("it has begun", async () => (await purse.balance()).held === credits(100.1));
    // By then the provider has failed.
    for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
    open();
    const { json } = await running;
    holds.delay = Promise.resolve();
    assert.deepEqual([json.status, json.error.code], ["failed", "provider_error"]);
    assert.equal(json.output[0].content[0].text, "four".repeat(1500));
    assert.equal(json.usage.output_tokens, 1500);
    await purse.agrees(credits(150.1));
  });

  test("too many pieces fail the response as provider_error, even if they were waiting to be paid for", async () => {
    const purse = await Purse.open(service, FAR);
    const annotation = {
      type: "url_citation",
      url: "https://a.test/",
      title: "A",
      start_index: 0,
      end_index: 1,
    } as const;
    const annotations = (length: number) =>
      Array.from({ length }, (): ProviderPart => ({ type: "annotation", annotation }));
    const unpaid: ProviderPart = { type: "text", text: "four".repeat(1500) };
    service.provider.plays([annotations(PIECES_MAX - 100), [unpaid, ...annotations(200)], never]);
    const { json } = await purse.create({ input: "Hi", max_output_tokens: 8000 });
    assert.deepEqual([json.status, json.error.code], ["failed", "provider_error"]);
    await purse.agrees(credits(150.1));
  });

  test("a store that is unavailable for a while delays output and loses none", async () => {
    let fault: StoreError | null = new StoreError("unavailable", "away");
    await withService(
      {
        models: PRICED_MODELS,
        wrapStore: (store) => ({
          ...store,
          extendHold: (query) => (fault === null ? store.extendHold(query) : Promise.reject(fault)),
        }),
      },
      async (faulty) => {
        const purse = await Purse.open(faulty, FAR);
        faulty.provider.plays([[{ type: "text", text: "four".repeat(3000) }], ends(3000)]);
        const running = purse.create({ input: "Hi", max_output_tokens: 8000 });
        await until("it has tried", () => faulty.logged.some(({ event }) => event === "store.unavailable"));
        fault = null;
        await faulty.clock.advance(1000);
        assert.equal((await running).json.status, "completed");
        await purse.agrees(credits(300.1));
      },
    );
  });

  test("a store that fails for good fails the response as run_failed, with the output that was paid for", async () => {
    const fault = new StoreError("failed", "secret detail");
    await withService(
      { models: PRICED_MODELS, wrapStore: (store) => ({ ...store, extendHold: () => Promise.reject(fault) }) },
      async (faulty) => {
        const purse = await Purse.open(faulty, FAR);
        faulty.provider.plays([...tokens(3000), never]);
        const { json } = await purse.create({ input: "Hi", max_output_tokens: 8000 });
        assert.equal(json.error.code, "run_failed");
        assert.ok(!JSON.stringify(json).includes("secret"));
        assert.equal(json.usage.output_tokens, 1000);
        await purse.agrees(credits(100.1));
      },
    );
  });
});
