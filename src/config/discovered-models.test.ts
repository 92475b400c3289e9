// What servers list, as models of the catalog.
import assert from "node:assert/strict";
import { test } from "node:test";
import { read, readWrong } from "../../test/support/config.ts";
import { buildCatalog } from "./catalog.ts";
import { listUnpricedDiscovered } from "./discovered-models.ts";

const named = (name: string, contextWindow: number | null = null, maxOutputTokens: number | null = null) => ({
  name,
  contextWindow,
  maxOutputTokens,
});

test("a listed model has the price list's prices and sizes, else the server's sizes, else the defaults", async () => {
  const config = await read(
    "providers: {openai: {type: openai, api_key: k, discover: true}}\nmodels: [{id: openai/mine, prices: {input: 3}}]\n",
  );
  const discovered = new Map([
    [
      "openai",
      [
        named("gpt-5.4"),
        named("gpt-x", 50_000, 9_000),
        named("gpt-y", 10),
        named("mine"),
        named("a/b"),
        named("gpt-6.1-terra"),
      ],
    ],
  ]);
  const catalog = await buildCatalog(config, discovered);
  const sizesOf = (id: string) => {
    const model = catalog.find(id);
    return [model?.prices.input, model?.contextWindow, model?.maxOutputTokens, model?.isDiscovered];
  };
  assert.deepEqual(sizesOf("gpt-5.4"), [2.5, 1_050_000, 128_000, true]);
  assert.deepEqual(sizesOf("openai/gpt-x"), [0, 50_000, 9_000, true]);
  assert.deepEqual(sizesOf("openai/gpt-y"), [0, 128_000, 16_384, true]);
  assert.deepEqual(sizesOf("openai/mine"), [3, 128_000, 16_384, undefined]);
  assert.equal(catalog.find("openai/a/b"), undefined);
  // The built-in model stays as it is.
  assert.deepEqual(sizesOf("openai/gpt-6.1-terra"), [1, 1_050_000, 128_000, undefined]);
  const [warning, ...more] = listUnpricedDiscovered(catalog.models, config.providers);
  assert.match(warning ?? "", /"openai" lists models that have no prices, .*: openai\/gpt-x, openai\/gpt-y\. List/);
  assert.deepEqual(more, []);
});

test("a server on a private address may serve for nothing, and an alias need not wait for its model", async () => {
  const config = await read(
    "providers: {local: {type: openai-compatible, base_url: 'http://10.0.0.1/v1', discover: true}}\naliases: {best: local/later}\n",
  );
  assert.deepEqual(config.warnings, []);
  const catalog = await buildCatalog(config, new Map([["local", [named("meta/llama:8b")]]]));
  assert.equal(catalog.find("best")?.id, "local/later");
  assert.equal(catalog.find("local/meta/llama:8b")?.upstreamModel, "meta/llama:8b");
  assert.deepEqual(listUnpricedDiscovered(catalog.models, config.providers), []);
});

test("discover is an error where no server lists models", async () => {
  const wrong = await readWrong("providers: {s: {type: simulated, discover: true}}\n");
  assert.match(wrong, /^FILE:1: providers\.s\.discover is true; remove it, since providers of type simulated list/);
});

test("what a server lists takes no id, alias or bare form from what is configured", async () => {
  const config = await read(
    "providers:\n  ollama: {type: openai-compatible, base_url: 'http://127.0.0.1:1', discover: true}\n" +
      "  router: {type: openai-compatible, base_url: 'https://router.test', api_key: k, discover: true}\n" +
      "  openai: {type: openai, api_key: k}\n  team: {type: simulated}\n" +
      "catalog: none\nmodels: [{id: 'openai/*'}, {id: team/fast}]\naliases: {ollama/llama3: ollama/llama3.3}\n",
  );
  const server = (...names: readonly string[]) =>
    names.map((name) => ({ name, contextWindow: null, maxOutputTokens: null }));
  const { find } = await buildCatalog(
    config,
    new Map([
      ["ollama", server("llama3", "llama3.3", "fast", "qwen")],
      ["router", server("openai/gpt-9-new", "openai/gpt-5.4")],
    ]),
  );
  const rows = {
    "ollama/llama3": "ollama/llama3.3",
    "openai/gpt-9-new": "openai/gpt-9-new",
    "openai/gpt-5.4": "openai/gpt-5.4",
    "router/openai/gpt-9-new": "router/openai/gpt-9-new",
    fast: "team/fast",
    "ollama/fast": "ollama/fast",
    qwen: "ollama/qwen",
  };
  for (const [name, id] of Object.entries(rows)) assert.equal(find(name)?.id, id, name);
});
