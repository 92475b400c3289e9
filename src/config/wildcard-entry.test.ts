// Entries whose id ends in `*`: what their names get from the price list, and where they are listed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { read, readWrong } from "../../test/support/config.ts";
import { buildCatalog } from "./catalog.ts";

const KEYS = { OPENAI_API_KEY: "k", GEMINI_API_KEY: "k" };

test("names that the price list has are listed with its prices and sizes; any other passes", async () => {
  const config = await read(
    "models: [{id: openai/*}, {id: g/*, provider: gemini}]\naliases: {best: openai/gpt-next}\n",
    KEYS,
  );
  const catalog = await buildCatalog(config);
  const known = catalog.find("openai/gpt-5.4");
  assert.deepEqual([known?.prices.input, known?.contextWindow, known?.namedBy], [2.5, 1_050_000, undefined]);
  assert.equal(catalog.find("gpt-5.4"), known);
  assert.equal(catalog.find("g/gemini-2.5-pro")?.prices.input, 1.25);
  assert.ok(catalog.models.some(({ id }) => id === "openai/gpt-5.4"));
  const other = catalog.find("openai/gpt-99");
  assert.deepEqual([other?.upstreamModel, other?.prices.input, other?.contextWindow], ["gpt-99", 0, 128_000]);
  assert.equal(catalog.find("best")?.upstreamModel, "gpt-next");
  assert.equal(catalog.find("g/models/x"), undefined);
  // Built-in models stay as they are.
  assert.deepEqual(catalog.find("openai/gpt-6.1-terra")?.thinking, { effort: "medium" });
  assert.match(config.warnings.join("\n"), /openai\/\*, has no prices of its own: a name that the price list lacks/);
});

test("what the entry names takes precedence over the price list", async () => {
  const { find } = await buildCatalog(
    await read("models: [{id: openai/*, prices: {input: 9}, max_output_tokens: 2000, thinking: low}]\n", KEYS),
  );
  const known = find("openai/gpt-5.4");
  assert.deepEqual([known?.prices.input, known?.tiers, known?.maxOutputTokens], [9, undefined, 2000]);
  assert.deepEqual(known?.thinking, { effort: "low" });
});

test("part of a name may be fixed, and differ upstream; names with slashes pass at servers that have them", async () => {
  const { find } = await buildCatalog(
    await read(
      "providers: {router: {type: openai-compatible, base_url: 'http://r/v1'}}\n" +
        "models: [{id: router/*}, {id: team/*, provider: router, upstream_model: vendor/team-*}]\n",
    ),
  );
  assert.equal(find("router/meta/llama-3:free")?.upstreamModel, "meta/llama-3:free");
  assert.equal(find("team/x")?.upstreamModel, "vendor/team-x");
  assert.equal(find("router/../x"), undefined);
});

test("a star elsewhere than at the end, and targets, are errors", async () => {
  const wrong = (entry: string) => readWrong(`models: [${entry}]\n`, KEYS);
  assert.match(await wrong("{id: openai/*-mini}"), /models\[0\]\.id is "openai\/\*-mini"; allowed in a wildcard/);
  assert.match(await wrong("{id: openai/*, upstream_model: gpt}"), /upstream_model is "gpt"; allowed in a wildcard/);
  assert.match(
    await wrong("{id: t/*, targets: [{provider: openai, upstream_model: x}]}"),
    /targets is set for a wildcard/,
  );
});
