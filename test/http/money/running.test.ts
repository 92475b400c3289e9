// Money that runs out while a turn runs: how it ends, what is kept of it, and what it is charged.
// @spec errors/failed-responses; docs/decisions/money.md
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { BudgetName } from "../../../src/core/accounts/budgets.ts";
import type { HoldExtension } from "../../../src/ports/funds.ts";
import type { ProviderPart } from "../../../src/ports/provider.ts";
import { StoreError } from "../../../src/ports/store.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { credits, PRICED_MODELS, Purse } from "../../support/money.ts";
import { type Act, FINISHED, gate, USAGE } from "../../support/scripted-provider.ts";
import { TestService, withService } from "../../support/service.ts";
import { until } from "../../support/until.ts";

let extending: Promise<unknown> = Promise.resolve();
let extensions: HoldExtension[] = [];
const service = await TestService.start({
  models: PRICED_MODELS,
  wrapStore: (store) => ({
    ...store,
    extendHold: async (query) => {
      await extending;
      const extension = await store.extendHold(query);
      extensions.push(extension);
      return extension;
    },
  }),
});
after(() => service.close());

/** A stream of tokens of four characters, each a tenth of a credit, in parts of ten; the store has its turn in between. */
function* tokens(count: number): Generator<Act> {
  const part: ProviderPart = { type: "text", text: "four".repeat(10) };
  for (let sent = 0; sent < count; sent += 10) {
    yield [part];
    yield new Promise((resolve) => setImmediate(resolve));
  }
}

const usageOf = (input: number, output: number) => ({
  ...USAGE,
  input_tokens: input,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: output,
  total_tokens: input + output,
});

const ends = (output: number): Act => [
  { type: "usage", usage: usageOf(1, output) },
  { type: "finished", incompleteReason: null },
];

const never = new Promise<never>(() => {});
const FAR = 100_000;

/** A row of the table: the model goes on for ever, and something ends it at 250 credits. */
interface Row {
  readonly name: string;
  readonly balance: number;
  readonly budget: ((purse: Purse) => BudgetName) | null;
  readonly code: string;
  readonly message: RegExp;
}

const rows: readonly Row[] = [
  {
    name: "the balance",
    balance: 250,
    budget: null,
    code: "insufficient_credits",
    message: /it has spent 249\.1 credits/,
  },
  {
    name: "the organization's day",
    balance: FAR,
    budget: () => ({ scope: "organization-day", id: null, period: "day" }),
    code: "org_daily_budget_exceeded",
    message: /your organization for the day was reached.*: 250\.0 of 250\.0 credits/,
  },
  {
    name: "the organization's budget",
    balance: FAR,
    budget: () => ({ scope: "organization", id: null, period: "month" }),
    code: "scope_budget_exceeded",
    message: /your organization for the month was reached.*: 250\.0 of 250\.0 credits/,
  },
  {
    name: "the organization's budget of a day",
    balance: FAR,
    budget: () => ({ scope: "organization", id: null, period: "day" }),
    code: "scope_budget_exceeded",
    message: /your organization for the day/,
  },
  {
    name: "the member's budget",
    balance: FAR,
    budget: ({ memberId }) => ({ scope: "member", id: memberId, period: "total" }),
    code: "scope_budget_exceeded",
    message: /the member whose API key this is was reached/,
  },
  {
    name: "the key's budget",
    balance: FAR,
    budget: ({ keyId }) => ({ scope: "key", id: keyId, period: "month" }),
    code: "scope_budget_exceeded",
    message: /this API key for the month was reached/,
  },
  {
    name: "the limit of a single response",
    balance: FAR,
    budget: () => ({ scope: "response", id: null, period: "total" }),
    code: "budget_exceeded",
    message: /^This response reached its spending limit: 249\.1 of 250\.0 credits are spent\.$/,
  },
];

describe("a turn that would pass what is left stops there: failed, its output kept and charged, its provider let go", () => {
  for (const { name, balance, budget, code, message } of rows) {
    // One token of input and 2,499 of output are 250 credits; parts are of ten tokens.
    const tokensKept = 2490;
    for (const stream of [false, true]) {
      test(`${name}, ${stream ? "streaming" : "not streaming"}`, async () => {
        const purse = await Purse.open(service, balance);
        if (budget !== null) await purse.setBudget(budget(purse), 250);
        service.provider.plays([...tokens(6000), never]);
        const { aborted } = service.provider;
        const body = { input: "Hi", max_output_tokens: 8000 };
        const streamed = stream ? await purse.stream(body) : null;
        const answer = streamed?.events.at(-1)?.data.response ?? (await purse.create(body)).json;
        if (streamed !== null) {
          assert.equal(streamed.events.at(-1)?.event, "response.failed");
          assert.equal(streamed.events.filter(({ event }) => event === "response.failed").length, 1);
        }
        assert.equal(answer.status, "failed");
        assert.equal(answer.error.code, code);
        assert.match(answer.error.message, message);
        assert.deepEqual([answer["svc:error"].code, answer["svc:error"].retryable], [code, false]);
        const [kept] = answer.output;
        assert.equal(kept.status, "incomplete");
        assert.equal(kept.content[0].text, "four".repeat(tokensKept));
        assert.deepEqual([answer.usage.input_tokens, answer.usage.output_tokens], [1, tokensKept]);
        assert.equal(service.provider.aborted, aborted + 1);
        assert.deepEqual((await purse.retrieve(answer.id)).json, answer);
        await purse.agrees(credits(249.1));
        assert.equal(service.logged.filter(({ event }) => event === "turn.shortfall").length, 0);
      });
    }
  }

  test("a limit of a response below its first hold ends it before its provider is asked, and nothing is charged", async () => {
    const purse = await Purse.open(service, FAR, [[{ scope: "response", id: null, period: "total" }, 100]]);
    const asked = service.provider.calls.length;
    for (const stream of [false, true]) {
      const body = { input: "Hi" };
      const failed = stream ? (await purse.stream(body)).events.at(-1)?.data.response : (await purse.create(body)).json;
      assert.equal(failed.status, "failed");
      assert.equal(failed.error.code, "budget_exceeded");
      assert.match(failed.error.message, /0\.0 of 100\.0 credits are spent, and starting it sets 100\.1 aside/);
      assert.deepEqual([failed.output, failed.usage.total_tokens], [[], 0]);
      assert.deepEqual(purse.transfersOf(failed.id), [
        ["hold", credits(100.1)],
        ["void", credits(100.1)],
      ]);
      assert.deepEqual((await purse.retrieve(failed.id)).json, failed);
    }
    assert.equal(service.provider.calls.length, asked);
    await purse.agrees(0n);
  });

  test("a top-up in time lets it go on", async () => {
    const purse = await Purse.open(service, 150);
    const { opened, open } = gate();
    service.provider.plays([...tokens(1400), opened, ...tokens(600), ends(2000)]);
    const running = purse.create({ input: "Hi", max_output_tokens: 8000 });
    await until("all is held", async () => (await purse.balance()).credits === 0n);
    await purse.topUp(100);
    open();
    assert.equal((await running).json.status, "completed");
    await purse.agrees(credits(200.1));
  });
});

describe("an answer is paid for ahead of itself", () => {
  test("a long one takes few extensions, each asked for when half of the last slice is used", async () => {
    const purse = await Purse.open(service, FAR);
    extensions = [];
    service.provider.plays([...tokens(8000), ends(8000)]);
    const { json } = await purse.create({ input: "Hi", max_output_tokens: 8000 });
    assert.equal(json.status, "completed");
    // 1,000 at the start, then twice as much each time, up to what the model may put out.
    assert.deepEqual(
      extensions.map(({ grantedNano }) => grantedNano),
      [credits(200), credits(400), credits(100)],
    );
    assert.deepEqual(purse.transfersOf(json.id), [
      ["hold", credits(100.1)],
      ["extend", credits(200)],
      ["extend", credits(400)],
      ["extend", credits(100)],
      ["settle", credits(800.1)],
    ]);
    await purse.agrees(credits(800.1));
  });

  test("a short one takes none", async () => {
    const purse = await Purse.open(service, FAR);
    extensions = [];
    service.provider.plays([...tokens(500), ends(500)]);
    const { json } = await purse.create({ input: "Hi" });
    assert.deepEqual(extensions, []);
    assert.deepEqual(purse.transfersOf(json.id), [
      ["hold", credits(100.1)],
      ["settle", credits(50.1)],
      ["release", credits(50)],
    ]);
  });

  test("output that is not yet paid for waits, in its order, until it is", async () => {
    const purse = await Purse.open(service, FAR);
    const { opened, open } = gate();
    extending = opened;
    const parts = Array.from({ length: 300 }, (_, index): ProviderPart => ({ type: "text", text: `${1e9 + index}` }));
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
      { model: "test/priced", max_output_tokens: 500 },
    );
    await stream.sees("response.output_text.delta");
    const deltas = () => stream.events.filter(({ event }) => event === "response.output_text.delta").length;
    // 500 tokens are held; parts are of ten characters.
    await until("what is paid for", () => deltas() === 200);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    assert.equal(deltas(), 200);
    assert.ok(!stream.events.some(({ event }) => event === "response.output_item.done"));
    open();
    await stream.closed;
    assert.equal(deltas(), 300);
    const response = stream.events.at(-1)?.data.response;
    assert.equal(response.status, "completed");
    assert.equal(response.output[0].content[0].text, parts.map((part) => ("text" in part ? part.text : "")).join(""));
    assert.equal(response.output[1].arguments, "{}");
    extending = Promise.resolve();
    await purse.agrees(credits(0.8 + 0.5 + 0.02));
  });

  test("a part longer than all that is held is paid for whole", async () => {
    const purse = await Purse.open(service, FAR);
    service.provider.plays([[{ type: "text", text: "four".repeat(5000) }], ends(5000)]);
    const { json } = await purse.create({ input: "Hi", max_output_tokens: 8000 });
    assert.equal(json.status, "completed");
    await purse.agrees(credits(500.1));
  });

  test("a part that nothing pays for is not put out, and not charged", async () => {
    const purse = await Purse.open(service, 200);
    service.provider.plays([[{ type: "text", text: "four" }], [{ type: "text", text: "four".repeat(5000) }], never]);
    const { json } = await purse.create({ input: "Hi", max_output_tokens: 8000 });
    assert.equal(json.error.code, "insufficient_credits");
    assert.equal(json.output[0].content[0].text, "four");
    await purse.agrees(credits(0.2));
  });

  test("what the provider tells counts where it is more than was seen", async () => {
    const purse = await Purse.open(service, 250);
    // Thinking that is not shown: 2,400 tokens.
    service.provider.plays([[{ type: "usage", usage: usageOf(1, 2400) }], ...tokens(200), never]);
    const { json } = await purse.create({ input: "Hi", max_output_tokens: 8000 });
    assert.equal(json.error.code, "insufficient_credits");
    assert.equal(json.output[0].content[0].text, "four".repeat(90));
    assert.equal(json.usage.output_tokens, 2400);
    await purse.agrees(credits(240.1));
  });

  test("a cancel while output waits to be paid for ends the turn at once", async () => {
    const purse = await Purse.open(service, FAR);
    const { opened, open } = gate();
    extending = opened;
    service.provider.plays([...tokens(2000), never]);
    const stream = await LiveStream.open(
      { baseUrl: service.baseUrl, key: purse.key },
      { model: "test/priced", max_output_tokens: 1000 },
    );
    await stream.sees("response.output_text.delta");
    const deltas = () => stream.events.filter(({ event }) => event === "response.output_text.delta").length;
    await until("what is paid for", () => deltas() === 100);
    const cancelling = purse.cancel(stream.id);
    await until("the cancel has come", () => service.gateway.runs.find(stream.id)?.stopReason === "cancelled");
    open();
    const { json } = await cancelling;
    extending = Promise.resolve();
    assert.equal(json.status, "cancelled");
    assert.equal(json.usage.output_tokens, 1000);
    await stream.closed;
    await purse.agrees(credits(100.1));
  });

  test("a store out of reach for a while holds output up, and loses none", async () => {
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

  test("a store that fails for good fails the turn as run_failed, with what was paid for", async () => {
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
