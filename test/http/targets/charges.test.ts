// The price of a turn is that of the target that ran it. docs/money.md
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Prices } from "../../../src/core/money/prices.ts";
import { credits, PRICES, Purse } from "../../support/money.ts";
import { serviceForFile } from "../../support/service.ts";
import { modelOfTargets, scriptedProviders, targetOf } from "../../support/targets.ts";

const twice: Prices = { input: 2000, cached_input: 200, cache_write: 2000, output: 2000 };
const providers = scriptedProviders("free", "cheap", "dear");

const service = await serviceForFile({
  providers: providers.registry,
  models: [
    modelOfTargets([targetOf("cheap", { prices: PRICES }), targetOf("dear", { order: 2, prices: twice })], {
      id: "test/cheap",
    }),
    modelOfTargets([targetOf("dear", { prices: twice }), targetOf("cheap", { order: 2, prices: PRICES })], {
      id: "test/dear",
    }),
    modelOfTargets([targetOf("free"), targetOf("dear", { order: 2, prices: twice })], { id: "test/free" }),
    modelOfTargets([targetOf("free"), targetOf("free", { target: "free/n", upstreamModel: "n" })], {
      id: "test/gratis",
    }),
  ],
});

/** The cost of USAGE at PRICES. */
const CHARGE = credits(0.7 + 0.02 + 0.1 + 0.5);
/** The first hold of "Hi" at twice the prices. */
const HOLD = credits(200.2);

test("a turn holds the price of the dearest target and is charged that of the one that ran", async () => {
  for (const [model, charge] of [
    ["test/cheap", CHARGE],
    ["test/dear", 2n * CHARGE],
  ] as const) {
    const purse = await Purse.open(service, 100_000);
    const { json } = await purse.create({ model, input: "Hi" });
    assert.deepEqual(await purse.transfersOf(json.id), [
      ["hold", HOLD],
      ["settle", charge],
      ["release", HOLD - charge],
    ]);
    await purse.agrees(charge);
  }
});

test("a turn at a free target is charged nothing, whatever the others cost", async () => {
  const purse = await Purse.open(service, 100_000);
  const { json } = await purse.create({ model: "test/free", input: "Hi" });
  assert.deepEqual(await purse.transfersOf(json.id), [
    ["hold", HOLD],
    ["void", HOLD],
  ]);
  await purse.agrees(0n);
  const gratis = await purse.create({ model: "test/gratis", input: "Hi" });
  assert.deepEqual(await purse.transfersOf(gratis.json.id), []);
});

test("too little for the dearest target is an error before anything runs", async () => {
  const purse = await Purse.open(service, 150);
  const { status, json } = await purse.create({ model: "test/cheap", input: "Hi" });
  assert.deepEqual([status, json.error.code], [429, "insufficient_credits"]);
});
