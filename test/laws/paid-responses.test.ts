// Law: a response that the balance covers never fails for money, whatever runs at the same time, and nothing is ever
// overspent. docs/decisions/money.md (Ahead of need), docs/reliability.md, I-13 and I-14
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../support/fast-check.ts";
import { costOf, snapshotPrices } from "../../src/core/money/prices.ts";
import { WEIGHT_PER_TOKEN, weighText } from "../../src/core/money/token-bound.ts";
import type { Prices } from "../../src/core/money/prices.ts";
import type { ProviderCall } from "../../src/ports/provider.ts";
import { Purse } from "../support/money.ts";
import { type Act, USAGE } from "../support/scripted-provider.ts";
import { testModel } from "../support/service-config.ts";
import { serviceForFile } from "../support/service.ts";

const RUNS = 60;
const USD_PER_CREDIT = 0.01;
const OUTPUT_MAX = 8000;

const priceOf = (input: number, output: number): Prices => ({
  input,
  cached_input: input / 10,
  cache_write: input * 1.25,
  output,
});
const MODELS: Readonly<Record<string, Prices>> = {
  "test/even": priceOf(1000, 1000),
  "test/odd": priceOf(3.37, 15.013),
  "test/input": priceOf(700, 0),
  "test/output": priceOf(0, 99.99),
};

const service = await serviceForFile({
  models: Object.entries(MODELS).map(([id, prices]) =>
    testModel(id, { prices, maxOutputTokens: OUTPUT_MAX, contextWindow: 100_000 }),
  ),
});

interface DrawnResponse {
  readonly model: string;
  readonly inputCharacters: number;
  readonly maxOutputTokens: number;
  /** Characters per token, and tokens per part. */
  readonly tokenCharacters: number;
  readonly partTokens: number;
  /** Its output, in percent of its limit. */
  readonly share: number;
  /** Turns of the event loop before the request, and between two parts. */
  readonly delay: number;
  readonly pause: number;
}

const turnOf = (tokenCharacters: fc.Arbitrary<number>): fc.Arbitrary<DrawnResponse> =>
  fc.record({
    model: fc.constantFrom(...Object.keys(MODELS)),
    inputCharacters: fc.integer({ min: 4, max: 4000 }),
    maxOutputTokens: fc.oneof(fc.integer({ min: 16, max: 400 }), fc.integer({ min: 400, max: OUTPUT_MAX })),
    tokenCharacters,
    partTokens: fc.integer({ min: 20, max: 700 }),
    share: fc.oneof(fc.constant(100), fc.nat({ max: 100 })),
    delay: fc.nat({ max: 40 }),
    pause: fc.oneof(fc.nat({ max: 4 }), fc.integer({ min: 10, max: 40 })),
  });

const turnsPass = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

/** The amounts of a drawn response, by the arithmetic of the law. */
function amountsOf({ model, inputCharacters, maxOutputTokens, partTokens, share }: DrawnResponse) {
  const snapshot = snapshotPrices({ prices: MODELS[model] ?? priceOf(0, 0) }, USD_PER_CREDIT);
  assert.ok(snapshot);
  const inputTokens = Math.round(weighText("1".repeat(inputCharacters)) / WEIGHT_PER_TOKEN);
  const outputTokens = Math.max(1, Math.min(maxOutputTokens, Math.floor((maxOutputTokens * share) / 100)));
  // The provider reports the input as estimated; nothing comes from a cache.
  const usage = {
    ...USAGE,
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
  const parts = Array.from({ length: Math.ceil(outputTokens / partTokens) }, (_, index) =>
    Math.min(partTokens, outputTokens - index * partTokens),
  );
  const cost = (tokens: number) => costOf(snapshot, inputTokens, tokens);
  return {
    usage,
    parts,
    charge: costOf(snapshot, usage, outputTokens),
    cost: cost(outputTokens),
    first: cost(Math.min(1000, maxOutputTokens)),
    possible: cost(maxOutputTokens),
  };
}

/** Runs all turns on a balance: each completes, and the books agree. */
async function runAll(turns: readonly DrawnResponse[], balanceNano: bigint): Promise<void> {
  const purse = await Purse.open(service, 0);
  await purse.topUpNano(balanceNano);
  // The instructions carry the index of the script.
  function* script(call: ProviderCall): Generator<Act> {
    const turn = turns[Number(call.prompt.instructions)] ?? assert.fail("a call of no drawn turn");
    const { usage, parts } = amountsOf(turn);
    for (const tokens of parts) {
      yield [{ type: "text", text: "x".repeat(tokens * turn.tokenCharacters) }];
      yield turnsPass(turn.pause);
    }
    yield [
      { type: "usage", usage },
      { type: "finished", incompleteReason: null },
    ];
  }
  service.provider.plays(...turns.map(() => script));
  const replies = await Promise.all(
    turns.map(async ({ model, inputCharacters, maxOutputTokens, delay }, index) => {
      const instructions = String(index);
      await turnsPass(delay);
      const input = "1".repeat(inputCharacters - instructions.length);
      return purse.create({ model, input, instructions, max_output_tokens: maxOutputTokens });
    }),
  );
  service.provider.forgets();
  for (const { json } of replies) assert.equal(json.status, "completed", JSON.stringify(json.error));
  await purse.agrees(turns.reduce((sum, turn) => sum + amountsOf(turn).charge, 0n));
  assert.equal(service.logged.filter(({ event }) => event === "turn.shortfall").length, 0);
}

test("turns whose limits the balance pays for all complete, however long their tokens are", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turnOf(fc.integer({ min: 1, max: 12 })), { minLength: 1, maxLength: 8 }), (turns) =>
      runAll(
        turns,
        turns.reduce((sum, turn) => sum + amountsOf(turn).possible, 0n),
      ),
    ),
    { numRuns: RUNS },
  );
});

test("extending ahead of need starves no response: money for all first holds and outputs is enough", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turnOf(fc.constant(4)), { minLength: 2, maxLength: 8 }), (drawn) => {
      // All have the highest limit and end before it, which is not known in advance.
      const turns = drawn.map((turn) => {
        const outputTokens = Math.min(turn.maxOutputTokens, 3000);
        return { ...turn, maxOutputTokens: OUTPUT_MAX, share: (outputTokens * 100) / OUTPUT_MAX };
      });
      const needs = turns.map((turn) => {
        const { first, cost } = amountsOf(turn);
        return cost > first ? cost : first;
      });
      return runAll(
        turns,
        needs.reduce((sum, need) => sum + need, 0n),
      );
    }),
    { numRuns: RUNS },
  );
});
