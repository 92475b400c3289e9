import assert from "node:assert/strict";
import { test } from "node:test";
import { read } from "../../test/support/config.ts";
import { readCreateBody } from "../core/reading/create-body.ts";
import { checkSettings } from "../core/response/settings.ts";
import type { CatalogModel } from "../core/models/catalog.ts";
import { buildCatalog } from "./catalog.ts";
import { OperatorError } from "../../packages/kit/operator-error.ts";

test("replay_reasoning is accepted for openai-compatible providers only", async () => {
  const source = (type: string) =>
    `providers: {p: {type: ${type}, base_url: 'http://l', api_key: k}}\ncatalog: none\n` +
    "models: [{id: p/a, replay_reasoning: true}, {id: p/b, replay_reasoning: false}, {id: p/c}]\n";
  const { models } = await buildCatalog(await read(source("openai-compatible")));
  assert.deepEqual(
    models.map(({ replaysReasoning }) => replaysReasoning),
    [true, false, undefined],
  );
  for (const type of ["anthropic", "gemini", "openai", "simulated"]) {
    await assert.rejects(read(source(type)), new RegExp(`models\\[0\\]\\.replay_reasoning is true; .*${type}`));
  }
});

test("prompt_caching is turned off for a model or a target, where the provider's type has a way to", async () => {
  const source = (type: string) =>
    `providers: {p: {type: ${type}, base_url: 'http://l', api_key: k}, q: {type: anthropic, api_key: k}}\ncatalog: none\n` +
    "models:\n  - {id: p/a, prompt_caching: false}\n  - {id: p/b, prompt_caching: true}\n" +
    "  - {id: t/c, targets: [{provider: q, upstream_model: x, prompt_caching: false}, {provider: p, upstream_model: y}]}\n";
  for (const type of ["anthropic", "openai"]) {
    // oxlint-disable-next-line no-await-in-loop -- a configuration after the other
    const { models } = await buildCatalog(await read(source(type)));
    const served = models.flatMap((model): readonly CatalogModel[] => model.targets ?? [model]);
    assert.deepEqual(
      served.map(({ cachesPrompts }) => cachesPrompts),
      [false, undefined, false, undefined],
    );
  }
  for (const type of ["gemini", "openai-compatible", "simulated"]) {
    // oxlint-disable-next-line no-await-in-loop -- a configuration after the other
    await assert.rejects(read(source(type)), new RegExp(`models\\[0\\]\\.prompt_caching is false; .*${type}`));
  }
});

test("strict_tools is turned off for a model or a target of anthropic only", async () => {
  const source = (type: string) =>
    `providers: {p: {type: ${type}, base_url: 'http://l', api_key: k}}\ncatalog: none\n` +
    "models:\n  - {id: p/a, strict_tools: false}\n  - {id: t/c, targets: [{provider: p, upstream_model: x, strict_tools: false}]}\n";
  const { models } = await buildCatalog(await read(source("anthropic")));
  assert.deepEqual(
    models.map((model) => (model.targets?.[0] ?? model).takesStrictTools),
    [false, false],
  );
  await assert.rejects(read(source("openai")), /models\[0\]\.strict_tools is false; remove it, .* of type openai\./);
});

test("a model that is sent a thinking budget supports no temperature and no top_p", async () => {
  const rows: readonly (readonly [upstream: string, thinking: string | number, takesSampling: boolean])[] = [
    ["gemini-2.5-flash", "low", false],
    ["gemini-2.5-flash", "xhigh", false],
    ["gemini-2.5-flash", 8000, false],
    ["gemini-2.5-flash", "none", true],
    // Sent as a level, also when the entry names a budget.
    ["gemini-3.8-flash", "low", true],
    ["gemini-3.8-flash", 8000, true],
    // Sent nothing.
    ["gemini-2.0-flash", 8000, true],
  ];
  const entries = rows.map(
    ([upstream, thinking]) =>
      `  - {id: "g/${upstream}-${thinking}", upstream_model: ${upstream}, thinking: ${thinking}}\n`,
  );
  const source = `providers: {g: {type: gemini, api_key: k}}\ncatalog: none\nmodels:\n${entries.join("")}`;
  const { models } = await buildCatalog(await read(source));
  assert.equal(models.length, rows.length);
  for (const [index, model] of models.entries()) {
    for (const setting of ["temperature", "top_p"]) {
      const request = readCreateBody({ model: model.id, input: "Hi", [setting]: 1 });
      const check = () => checkSettings(request, model);
      if (rows[index]?.[2]) check();
      else assert.throws(check, new RegExp(`${model.id} does not support ${setting} while its thinking is on`));
    }
  }
});

test("prices and tiers are converted to nano-credits by usd_per_credit", async () => {
  const catalog = await buildCatalog(
    await read(`
credits: { usd_per_credit: 0.1 }
models:
  - id: simulated/priced
    prices:
      input: 1
      cached_input: 0.1
      output: 5
      tiers:
        - { above_input_tokens: 200000, input: 2, output: 7.5 }
`),
  );
  const credit = 1_000_000_000;
  const expected = {
    input: 10 * credit,
    cached_input: credit,
    cache_write: 10 * credit,
    output: 50 * credit,
    tiers: [
      {
        above_input_tokens: 200_000,
        input: 20 * credit,
        cached_input: 20 * credit,
        cache_write: 20 * credit,
        output: 75 * credit,
      },
    ],
  };
  const pricing = catalog.pricingOf({ id: "simulated/priced" });
  assert.deepEqual(pricing?.snapshot, expected);
  assert.deepEqual(JSON.parse(pricing.text), expected);
  assert.equal(catalog.pricingOf({ id: "simulated/echo" }), null);
});

for (const [name, source, expected] of [
  [
    "a tier without its threshold",
    "models:\n  - id: simulated/x\n    prices:\n      tiers: [{ input: 1 }]\n",
    /turngate\.yaml:4: models\[0\]\.prices\.tiers\[0\].*above_input_tokens/,
  ],
  [
    "more than a credit a token",
    "models: [{ id: simulated/x, prices: { output: 10001 } }]\n",
    /price of simulated\/x is too high: output at 10001 USD/,
  ],
] as const) {
  test(`${name} is an error`, async () => {
    await assert.rejects(
      async () => buildCatalog(await read(source)),
      (error) => error instanceof OperatorError && expected.test(error.message),
    );
  });
}
