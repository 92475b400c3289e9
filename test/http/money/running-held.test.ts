// Money that a response holds ahead of need is available to a response that is short.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertApiError } from "../../support/assert-api-error.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { credits, Purse } from "../../support/money.ts";
import { type Act, FINISHED, gate } from "../../support/scripted-provider.ts";
import { until } from "../../support/until.ts";
import { ends, FAR, startRecorded, tokens } from "./running-setup.ts";

const { service } = await startRecorded();

describe("money held ahead of need is available to a response that is short", () => {
  /** Begins responses of 110 credits each, lets them emit their output one by one, and keeps them running. */
  async function runOneByOne(purse: Purse, count: number) {
    const ended = gate();
    // With a token of input 1,100 tokens: 110 credits.
    const rest: Act = [{ type: "text", text: "four".repeat(9) }];
    const turns = [];
    for (let index = 0; index < count; index++) {
      const starts = gate();
      const callsBefore = service.provider.calls.length;
      service.provider.plays([starts.opened, ...tokens(1090), rest, ended.opened, ends(1099)]);
      const at = { baseUrl: service.baseUrl, key: purse.key };
      const stream = await LiveStream.open(at, { model: "test/priced", input: "Hi", max_output_tokens: 8000 });
      await until("it runs", () => service.provider.calls.length > callsBefore);
      turns.push({ stream, starts });
    }
    for (const { stream, starts } of turns) {
      starts.open();
      const deltas = () => stream.events.filter(({ event }) => event === "response.output_text.delta").length;
      await until("all is emitted", () => deltas() === 110 || stream.events.at(-1)?.event === "response.failed");
    }
    return { turns, open: ended.open };
  }

  for (const [count, balance, bound] of [
    [2, 250, null],
    [2, 220, null],
    [4, 450, null],
    [8, 880, null],
    [8, 880, { scope: "organization-day", id: null, period: "day" }],
    [8, 880, { scope: "organization", id: null, period: "total" }],
  ] as const) {
    test(`${count} turns of 110 on ${bound === null ? "a balance" : `a budget of ${bound.scope}`} of ${balance} all complete`, async () => {
      const purse = await Purse.open(service, bound === null ? balance : FAR);
      if (bound !== null) await purse.setBudget(bound, balance);
      const { turns, open } = await runOneByOne(purse, count);
      open();
      for (const { stream } of turns) {
        await stream.closed;
        assert.equal(stream.events.at(-1)?.event, "response.completed");
      }
      await purse.agrees(credits(110 * count));
    });
  }

  test("a response keeps its first hold", async () => {
    const purse = await Purse.open(service, 230);
    const { opened, open } = gate();
    service.provider.plays([...tokens(600), opened, ends(600)], [opened, FINISHED]);
    const turns = [purse.create({ input: "Hi" })];
    await until("it holds some ahead", async () => (await purse.balance()).held > credits(100.1));
    turns.push(purse.create({ input: "Hi" }));
    await until("the second has begun", () => service.gateway.runs.ofKey(purse.keyId).length === 2);
    assertApiError(await purse.create({ input: "Hi" }), { status: 429, code: "insufficient_credits" });
    assert.equal((await purse.balance()).held, credits(200.2));
    open();
    for (const turn of turns) assert.equal((await turn).json.status, "completed");
    await purse.agrees(credits(60.1) + credits(1.32));
  });

  test("it is available to a response that begins, too", async () => {
    const purse = await Purse.open(service, 210.2);
    const { turns, open } = await runOneByOne(purse, 1);
    // The balance pays a response of 110 and the first hold of another; some of that was held ahead.
    assert.ok((await purse.balance()).credits < credits(100.1));
    const { opened, open: end } = gate();
    service.provider.plays([opened, FINISHED]);
    const second = purse.create({ input: "Hi" });
    await until("it has begun", () => service.gateway.runs.ofKey(purse.keyId).length === 2);
    assert.equal((await purse.balance()).held, credits(210.1));
    assertApiError(await purse.create({ input: "Hi" }), { status: 429, code: "insufficient_credits" });
    end();
    assert.equal((await second).json.status, "completed");
    open();
    await turns[0]?.stream.closed;
    await purse.agrees(credits(110) + credits(1.32));
  });
});
