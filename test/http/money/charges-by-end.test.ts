// The charge of each ending of a response.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { NOTHING_KEPT } from "../../../src/ports/provider.ts";
import { TESTS } from "../../support/actor.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { credits, PRICED_MODELS, Purse } from "../../support/money.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { type Act, fails, gate, says, USAGE } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { CHARGE, HOLD, hundredTokens, never, RICH } from "./charge.ts";

const service = await serviceForFile({ models: PRICED_MODELS });

const openStream = (purse: Purse, body: object = {}) =>
  LiveStream.open({ baseUrl: service.baseUrl, key: purse.key }, { model: "test/priced", input: "Hi", ...body });

describe("a response that ended is charged for the usage that its response reports", () => {
  test("completed: by the provider's usage", async () => {
    const purse = await Purse.open(service, RICH);
    const { json } = await purse.create({ input: "Hi" });
    assert.deepEqual(await purse.transfersOf(json.id), [
      ["hold", HOLD],
      ["settle", CHARGE],
      ["release", HOLD - CHARGE],
    ]);
    await purse.agrees(CHARGE);
  });

  test("incomplete: by the provider's usage", async () => {
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

  test("a provider that does not stop at max_output_tokens: by the output emitted", async () => {
    const purse = await Purse.open(service, RICH);
    service.provider.plays([...Array.from({ length: 4 }, () => hundredTokens), never]);
    const { json } = await purse.create({ input: "Hi", max_output_tokens: 64 });
    assert.equal(json.incomplete_details.reason, "max_output_tokens");
    await purse.agrees(credits((json.usage.input_tokens + json.usage.output_tokens) / 10));
  });

  test("cancelled: by the output emitted, and the input", async () => {
    const purse = await Purse.open(service, RICH);
    service.provider.plays([hundredTokens, never]);
    const stream = await openStream(purse);
    await stream.sees("response.output_text.delta");
    assert.equal((await purse.cancel(stream.id)).json.usage.total_tokens, 101);
    await purse.agrees(credits(10.1));
  });

  test("cancelled before any output: nothing", async () => {
    const purse = await Purse.open(service, RICH);
    service.provider.plays([never]);
    const stream = await openStream(purse);
    await stream.sees("response.in_progress");
    assert.equal((await purse.cancel(stream.id)).json.usage.total_tokens, 0);
    assert.deepEqual(await purse.transfersOf(stream.id), [
      ["hold", HOLD],
      ["void", HOLD],
    ]);
    await purse.agrees(0n);
  });

  test("deleted while it ran: by the output emitted", async () => {
    const purse = await Purse.open(service, RICH);
    service.provider.plays([hundredTokens, never]);
    const stream = await openStream(purse);
    await stream.sees("response.output_text.delta");
    const path = `/v1/responses/${stream.id}`;
    assert.equal((await service.request("DELETE", path, { key: purse.key })).json.deleted, true);
    assert.equal((await purse.retrieve(stream.id)).status, 404);
    await purse.agrees(credits(10.1));
  });

  test("failed with output: by the output emitted", async () => {
    const purse = await Purse.open(service, RICH);
    service.provider.plays([hundredTokens, fails("provider_unavailable")]);
    const response = (await purse.stream({ input: "Hi" })).events.at(-1)?.data.response;
    assert.deepEqual([response.status, response.usage.total_tokens], ["failed", 101]);
    await purse.agrees(credits(10.1));
  });

  test("failed after the provider reported its input, and before any output: nothing", async () => {
    const purse = await Purse.open(service, RICH);
    const usage = { ...USAGE, output_tokens: 0, total_tokens: 10 };
    service.provider.plays([[{ type: "usage", usage }], fails("provider_error")]);
    const { json } = await purse.create({ input: "Hi" });
    assert.deepEqual([json.error.code, json.usage.total_tokens], ["provider_error", 0]);
    await purse.agrees(0n);
  });

  test("failed after reasoning that only its provider's count tells of: by that count", async () => {
    const purse = await Purse.open(service, RICH);
    service.provider.plays([[{ type: "usage", usage: USAGE }], fails("provider_error")]);
    assert.equal((await purse.create({ input: "Hi" })).json.usage.output_tokens, USAGE.output_tokens);
    await purse.agrees(CHARGE);
  });

  test("failed while it reasoned, or after it: by the reasoning, which is counted as such", async () => {
    const reasoning = { type: "reasoning", summary: ["x".repeat(80)], encryptedContent: null } as const;
    const waiting = { ...NOTHING_KEPT, waitingBytes: 80, waitingCharacters: 80, waitingReasoning: 80 };
    for (const part of [reasoning, waiting]) {
      const purse = await Purse.open(service, RICH);
      service.provider.plays([[part], fails("provider_error")]);
      const { json } = await purse.create({ input: "Hi" });
      assert.deepEqual(
        [json.status, json.usage.output_tokens, json.usage.output_tokens_details],
        ["failed", 20, { reasoning_tokens: 20 }],
      );
      await purse.agrees(credits(2.1));
    }
  });

  test("failed after the start of a call, or reasoning without a summary: by the input", async () => {
    const outputs = [
      { type: "call_started", index: 0, callId: "call_1", name: "f" },
      { type: "reasoning", summary: [], encryptedContent: "sealed" },
    ] as const;
    for (const part of outputs) {
      const purse = await Purse.open(service, RICH);
      service.provider.plays([[part], fails("provider_error")]);
      const { json } = await purse.create({ input: "Hi" });
      assert.deepEqual([json.usage.input_tokens, json.usage.output_tokens], [1, 0]);
      await purse.agrees(credits(0.1));
    }
  });

  test("completed with an empty answer: by the provider's usage, because the model ran to its end", async () => {
    const purse = await Purse.open(service, RICH);
    const usage = { ...USAGE, output_tokens: 0, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 10 };
    service.provider.plays([
      [
        { type: "usage", usage },
        { type: "finished", incompleteReason: null },
      ],
    ]);
    assert.equal((await purse.create({ input: "Hi" })).json.status, "completed");
    await purse.agrees(CHARGE - credits(0.5));
  });

  test("failed before any output: nothing", async () => {
    const purse = await Purse.open(service, RICH);
    service.provider.plays([fails("provider_client_error")]);
    const { json } = await purse.create({ input: "Hi" });
    assert.deepEqual([json.status, json.usage.total_tokens], ["failed", 0]);
    await purse.agrees(0n);
  });

  test("withdrawn as an HTTP error: nothing, and it is counted nowhere", async () => {
    const purse = await Purse.open(service, RICH, [[{ scope: "organization", id: null, period: "total" }, 200]]);
    service.provider.plays([hundredTokens, fails("provider_unavailable")]);
    assertApiError(await purse.create({ input: "Hi" }), { status: 502, code: "provider_unavailable" });
    await purse.agrees(0n);
    const { organizationId } = purse;
    const [sums] = await service.store.readUsage({ organizationId, by: [], fromDay: null, toDay: null, limit: 1 });
    assert.equal(sums?.responses, 0);
    const [budget] = await service.store.listBudgets({ organizationId });
    assert.deepEqual([budget?.spentNano, budget?.heldNano], [0n, 0n]);
  });

  test("with a key that was revoked meanwhile: like any other", async () => {
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

  test("with a free model: nothing, and nothing is held", async () => {
    const purse = await Purse.open(service, 1);
    const { json } = await purse.create({ model: "test/all", input: "Hi" });
    assert.deepEqual(await purse.transfersOf(json.id), []);
    await purse.agrees(0n);
  });
});
