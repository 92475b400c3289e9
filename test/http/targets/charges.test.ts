// The price of a turn is that of the target that ran it. docs/money.md
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Prices } from "../../../src/core/money/prices.ts";
import { credits, PRICES, Purse } from "../../support/money.ts";
import { fails, FINISHED, gate, says, USAGE } from "../../support/scripted-provider.ts";
import { serviceForFile, withService } from "../../support/service.ts";
import { modelOfTargets, scriptedProviders, targetOf } from "../../support/targets.ts";
import { until } from "../../support/until.ts";

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
    modelOfTargets(
      [
        targetOf("cheap", { prices: PRICES, contextWindow: 3_000, defaultOutputTokens: 100, maxOutputTokens: 500 }),
        targetOf("dear", { prices: PRICES, contextWindow: 4_000, defaultOutputTokens: 100, order: 2 }),
      ],
      { id: "test/small" },
    ),
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
  for (const [model, hold, charge] of [
    ["test/cheap", HOLD / 2n, CHARGE],
    ["test/dear", HOLD, 2n * CHARGE],
  ] as const) {
    const purse = await Purse.open(service, 100_000);
    const { json } = await purse.create({ model, input: "Hi" });
    assert.deepEqual(await purse.transfersOf(json.id), [
      ["hold", HOLD],
      ...(hold === HOLD ? [] : [["release", HOLD - hold] as const]),
      ["settle", charge],
      ["release", hold - charge],
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

test("what is left of a budget is compared with the price of the target that is called, not of the dearest", async () => {
  const { dear, cheap } = providers.of;
  const purse = await Purse.open(service, 100_000);
  // The input with a token of output costs 0.2 at the cheap one, 0.4 at the dear one.
  await purse.setBudget({ scope: "key", id: purse.keyId, period: "day" }, 0.3);
  const asked = [cheap.calls.length, dear.calls.length];
  const { json } = await purse.create({ model: "test/cheap", input: "Hi" });
  assert.equal(json.status, "completed", JSON.stringify(json));
  await purse.agrees(CHARGE);
  const other = await Purse.open(service, 100_000);
  await other.setBudget({ scope: "key", id: other.keyId, period: "day" }, 0.3);
  const failed = await other.create({ model: "test/dear", input: "Hi" });
  assert.deepEqual([failed.json.status, failed.json.error?.code], ["failed", "scope_budget_exceeded"]);
  await other.agrees(0n);
  assert.deepEqual([cheap.calls.length, dear.calls.length], [(asked[0] ?? 0) + 1, asked[1]]);
});

test("a turn that moved on is charged by the target that answered; what a dearer one would hold is free from then on", async () => {
  const { dear, cheap } = providers.of;
  const refused = fails("provider_unavailable", { certainlyNotRun: true });
  const purse = await Purse.open(service, 100_000);
  dear.plays([refused]);
  const { json } = await purse.create({ model: "test/dear", input: "Hi" });
  assert.deepEqual(
    [json["svc:target"], await purse.transfersOf(json.id)],
    [
      "cheap/m",
      [
        ["hold", HOLD],
        ["release", HOLD / 2n],
        ["settle", CHARGE],
        ["release", HOLD / 2n - CHARGE],
      ],
    ],
  );
  await purse.agrees(CHARGE);
  const { opened, open } = gate();
  dear.plays([refused]);
  const [word, ...rest] = says("ok");
  assert.ok(word !== undefined);
  cheap.plays([word, opened, ...rest]);
  const pending = purse.create({ model: "test/dear", input: "Hi" });
  await until("the answer", async () => (await purse.balance()).held === HOLD / 2n);
  open();
  await pending;
  await purse.agrees(2n * CHARGE);
});

test("a target that is sent more of the history is called only if that is paid for", async () => {
  const { dear, cheap } = providers.of;
  const ask = async (purse: Purse) => {
    // Too long for both: the second takes a turn more.
    let previous: string | null = null;
    for (const input of ["x".repeat(3000), "y".repeat(3000)]) {
      const { json } = await purse.create({ model: "test/gratis", input, previous_response_id: previous });
      previous = json.id;
    }
    cheap.plays([fails("provider_unavailable", { certainlyNotRun: true })]);
    const body = { model: "test/small", input: "z".repeat(3000), previous_response_id: previous, truncation: "auto" };
    return (await purse.create(body)).json;
  };
  const rich = await Purse.open(service, 100_000);
  const { id } = await ask(rich);
  const [, held = 0n] = (await rich.transfersOf(id))[0] ?? [];
  assert.deepEqual(
    (await rich.transfersOf(id)).slice(0, 2).map(([kind]) => kind),
    ["hold", "extend"],
  );
  assert.equal(dear.calls.at(-1)?.prompt.items.length, 3);
  const called = dear.calls.length;
  const poor = await Purse.open(service, Number(held / 1_000_000n) / 1000 + 1);
  const json = await ask(poor);
  assert.deepEqual([json.status, json.error.code, dear.calls.length], ["failed", "insufficient_credits", called]);
  await poor.agrees(0n);
});

test("a turn that was queued has the limits of the target that runs it, not of the one that rests by then", async () => {
  const models = [
    modelOfTargets([targetOf("free", { maxOutputTokens: 100 }), targetOf("cheap", { order: 2 })]),
    modelOfTargets([targetOf("dear")], { id: "test/slow" }),
  ];
  const limits = { concurrent_turns: 1, queued_turns: 2 };
  await withService({ providers: providers.registry, models, limits }, async (busy) => {
    const open = providers.of.dear.playsLater("first");
    const first = busy.create({ model: "test/slow", input: "Hi" });
    await until("the first", () => busy.gateway.occupancy().responsesRunning === 1);
    const queued = busy.create({ model: "test/targets", input: "Hi" });
    await until("the queue", () => busy.gateway.occupancy().responsesQueued === 1);
    for (let count = 0; count < 3; count++) busy.gateway.circuits.watch("free/m").ended(fails("provider_unavailable"));
    const usage = { ...USAGE, output_tokens: 300, total_tokens: 310 };
    providers.of.cheap.plays([
      ...says("from the other").slice(0, -1),
      [{ type: "usage", usage }, ...FINISHED.slice(1)],
    ]);
    open();
    const { json } = await queued;
    assert.deepEqual([json["svc:target"], json.usage.output_tokens], ["cheap/m", 300]);
    await first;
  });
});
