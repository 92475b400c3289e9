// The price list: what it gives to models that turngate.yaml does not describe, and what takes precedence over it.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { installation } from "../installation/installation.ts";
import { FAMILIES } from "../providers/families.ts";
import { configFile, read } from "../../test/support/config.ts";
import { OperatorError } from "../../packages/kit/operator-error.ts";
import { loadBuiltIn } from "./built-in-models.ts";
import { buildCatalog } from "./catalog.ts";
import { type PriceFile, readPriceFile } from "./price-file.ts";
import { joinPriceFiles } from "./price-list.ts";

const DATA = join(dirname(configFile), "data");
const DATABASE = { DATABASE_URL: `sqlite:${DATA}/t.db` };
const KEYS = { ANTHROPIC_API_KEY: "k", GEMINI_API_KEY: "k", OPENAI_API_KEY: "k", ...DATABASE };

const shipped = JSON.parse(installation.root.readText("prices.json")) as PriceFile;
const NONE = joinPriceFiles({ date: "2026-01-01", models: [] }, null);

const listed = (id: string) => shipped.models.find((model) => model.id === id) ?? assert.fail(id);

const write = (file: unknown): string => {
  mkdirSync(DATA, { recursive: true });
  const path = join(DATA, "prices.json");
  writeFileSync(path, JSON.stringify(file, null, 2));
  return path;
};

test("the file that comes with the program is valid, and says of built-in models what their families say", async () => {
  assert.deepEqual(readPriceFile("prices.json"), shipped);
  for (const { source, day } of shipped.models) {
    assert.match(source, /^https:\/\/(platform\.claude\.com|ai\.google\.dev|developers\.openai\.com)\//);
    assert.ok(day <= shipped.date);
  }
  const own = [...(await loadBuiltIn(FAMILIES, NONE)).values()].filter(({ family }) => family.modelOwner !== null);
  assert.ok(own.length > 10);
  const withPrices = await loadBuiltIn(FAMILIES, joinPriceFiles(shipped, null));
  for (const { model } of own) {
    assert.ok(listed(model.id));
    assert.deepEqual(withPrices.get(model.id)?.model, model);
  }
});

test("an entry without prices or sizes has those of the list; what it names takes precedence", async () => {
  const { models, warnings } = await read(
    "models:\n  - {id: anthropic/claude-opus-4-8}\n  - {id: mine/gpt, provider: openai, upstream_model: gpt-5.4, context_window: 300000}\n" +
      "  - {id: openai/gpt-5.5, prices: {input: 7}}\n  - {id: openai/gpt-4o, prices: 0}\n  - {id: openai/gpt-new}\n" +
      "  - {id: t/two, targets: [{provider: anthropic, upstream_model: claude-opus-4-8}, {provider: openai, upstream_model: gpt-5.4, prices: {output: 1}}]}\n",
    KEYS,
  );
  const [opus, gpt, named, free, unknown, two] = models;
  const { prices } = listed("anthropic/claude-opus-4-8");
  assert.deepEqual(opus?.prices, prices);
  assert.deepEqual([opus?.contextWindow, opus?.maxOutputTokens, opus?.defaultOutputTokens], [1_000_000, 128_000, 4096]);
  assert.deepEqual([gpt?.contextWindow, gpt?.maxOutputTokens], [300_000, 128_000]);
  assert.deepEqual(gpt?.prices, { input: 2.5, cached_input: 0.25, cache_write: 2.5, output: 15 });
  assert.equal(gpt?.tiers?.[0]?.aboveInputTokens, 272_000);
  assert.deepEqual(
    [named?.prices, named?.tiers],
    [{ input: 7, cached_input: 7, cache_write: 7, output: 0 }, undefined],
  );
  assert.deepEqual([free?.prices.input, free?.tiers, free?.contextWindow], [0, undefined, 128_000]);
  assert.equal(unknown?.prices.input, 0);
  assert.deepEqual(two?.targets?.[0]?.prices, prices);
  assert.deepEqual(two?.targets?.[1]?.prices, { input: 0, cached_input: 0, cache_write: 0, output: 1 });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /:6: models\[4\], openai\/gpt-new, has no prices/);
});

test("a model of another server has the list's prices by its id, if its address is public", async () => {
  const file = { ...shipped, models: [{ ...listed("openai/gpt-5"), id: "vendor/large" }] };
  const path = write(file);
  try {
    for (const [url, input, warned] of [
      ["https://api.vendor.example/v1", 1.25, /vendor\/small/],
      ["http://10.0.0.7/v1", 0, /^$/],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- a configuration after the other
      const { models, warnings } = await read(
        `providers: {vendor: {type: openai-compatible, base_url: '${url}'}}\nmodels: [{id: vendor/large}, {id: vendor/small}]\n`,
        DATABASE,
      );
      assert.equal(models[0]?.prices.input, input);
      assert.match(warnings.join("\n"), warned);
    }
  } finally {
    rmSync(path);
  }
});

test("the file of `models update` takes precedence model by model, and is warned of when a release has newer prices", async () => {
  const opus = { ...listed("anthropic/claude-opus-5-5"), prices: { input: 3, output: 9 }, max_output_tokens: 64_000 };
  const path = write({ date: "2026-01-01", models: [opus] });
  try {
    const config = await read(null, KEYS);
    const catalog = await buildCatalog(config);
    const found = catalog.find("claude-opus-5-5");
    assert.deepEqual(found?.prices, { input: 3, cached_input: 3, cache_write: 3, output: 9 });
    assert.deepEqual([found?.maxOutputTokens, found?.defaultOutputTokens], [64_000, 64_000]);
    assert.equal(catalog.find("claude-sonnet-5-5")?.prices.input, 2);
    assert.match(config.warnings.join("\n"), /prices\.json is of 2026-01-01, older than the prices that come with/);
    write({ date: "2099-01-01", models: [opus] });
    assert.deepEqual((await read(null, KEYS)).warnings, []);
    write({ date: "2099-01-01", models: [{ ...opus, prices: { input: "3" } }] });
    await assert.rejects(read(null, KEYS), /prices\.json:9: models\[0\]\.prices\.input is "3"; allowed: USD/);
  } finally {
    rmSync(path);
  }
});

test("a dated snapshot is as the name without the day, unless it is undated", async () => {
  const { find, pricingOf } = await buildCatalog(
    await read("providers: {openai: {type: openai, api_key: k}}\ncatalog: none\nmodels: [{id: 'openai/*'}]\n", KEYS),
  );
  const priceOf = (name: string) => {
    const model = find(name);
    return model === undefined ? null : (pricingOf(model)?.snapshot ?? null);
  };
  const undated = priceOf("openai/gpt-5.4");
  assert.ok(undated !== null);
  assert.deepEqual(priceOf("openai/gpt-5.4-2026-03-05"), undated);
  assert.deepEqual(priceOf("openai/gpt-5.4-20260305"), undated);
  assert.equal(priceOf("openai/gpt-5.4-next"), null);
});

test("a price file with a fault is an error with its line", () => {
  const model = listed("openai/gpt-5.4");
  const rows: readonly (readonly [unknown, RegExp])[] = [
    [{ models: [] }, /the file lacks date/],
    [{ date: "November", models: [] }, /date is "November"; allowed: the day of the file as YYYY-MM-DD/],
    [{ date: "2026-01-01", models: [{ ...model, id: "gpt" }] }, /models\[0\]\.id is "gpt"; allowed: /],
    [{ date: "2026-01-01", models: [{ ...model, window: 1 }] }, /there is no key "window" in models\[0\]/],
    [{ date: "2026-01-01", models: [{ ...model, prices: { input: -1 } }] }, /prices\.input is -1; allowed: /],
    [{ date: "2026-01-01", models: [{ ...model, prices: { in: 1 } }] }, /there is no key "in" in models\[0\]\.prices/],
    [{ date: "2026-01-01", models: [model, model] }, /models\[1\]\.id is "openai\/gpt-5\.4", which is already/],
    [{ date: "2026-01-01", models: [{ ...model, max_output_tokens: 2_000_000 }] }, /at most context_window/],
    [
      {
        date: "2026-01-01",
        models: [{ ...model, prices: { tiers: [{ above_input_tokens: 5 }, { above_input_tokens: 5 }] } }],
      },
      /models\[0\]\.prices\.tiers\[1\]\.above_input_tokens is 5, which is already/,
    ],
  ];
  for (const [file, expected] of rows) {
    const path = write(file);
    assert.throws(
      () => readPriceFile(path),
      (error: unknown) => error instanceof OperatorError && expected.test(error.message),
      String(expected),
    );
    rmSync(path);
  }
});
