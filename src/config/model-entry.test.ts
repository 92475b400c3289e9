import assert from "node:assert/strict";
import { test } from "node:test";
import { MODEL_GROUPS } from "../contract/settings.ts";
import { buildCatalog } from "./catalog.ts";
import { FAMILIES } from "../providers/families.ts";
import { settingsOf } from "./model-defaults.ts";
import { configFile, read } from "../../test/support/config.ts";

test("a model has its entry's fields, and the defaults of its provider for the rest", async () => {
  const config = await read(
    "providers: {local: {type: openai-compatible, base_url: 'http://l'}, simulated: {type: simulated}}\n" +
      "models:\n  - id: local/llama\n  - {id: my/model, provider: simulated, upstream_model: echo, group: [temperature], context_window: 3000, thinking: 1024, " +
      "forced_tool_choice: false, end_user_field: false, prices: {input: 2, output: 8.5}, owned_by: me, created: 7}\n",
  );
  assert.deepEqual(config.models, [
    {
      id: "local/llama",
      provider: "local",
      upstreamModel: "llama",
      settings: new Set(["temperature", "top_p", "presence_penalty", "frequency_penalty", "text.format"]),
      contextWindow: 128_000,
      maxOutputTokens: 16_384,
      defaultOutputTokens: 4096,
      thinking: "none",
      forcedToolChoice: true,
      hasEndUserField: false,
      prices: { input: 0, cached_input: 0, cache_write: 0, output: 0 },
      ownedBy: "local",
      created: 0,
    },
    {
      id: "my/model",
      provider: "simulated",
      upstreamModel: "echo",
      settings: new Set(["temperature"]),
      contextWindow: 3000,
      maxOutputTokens: 3000,
      defaultOutputTokens: 3000,
      thinking: { budgetTokens: 1024 },
      forcedToolChoice: false,
      hasEndUserField: false,
      prices: { input: 2, cached_input: 2, cache_write: 2, output: 8.5 },
      ownedBy: "me",
      created: 7,
    },
  ]);
});

test("an entry with the id of a built-in model inherits what it does not name", async () => {
  const variables = { OPENAI_API_KEY: "k", GEMINI_API_KEY: "k" };
  const plain = await buildCatalog(await read(null, variables));
  const source =
    "models:\n  - {id: openai/gpt-6.1-terra, default_output_tokens: 1000, prices: {output: 7}}\n  - {id: google/gemini-3.8-flash, context_window: 20000}\n";
  for (const catalogLine of ["", "catalog: none\n"]) {
    const changed = await buildCatalog(await read(source + catalogLine, variables));
    const terra = plain.find("openai/gpt-6.1-terra") ?? assert.fail();
    assert.deepEqual(changed.find(terra.id), {
      ...terra,
      defaultOutputTokens: 1000,
      prices: { ...terra.prices, output: 7 },
    });
    const flash = plain.find("google/gemini-3.8-flash") ?? assert.fail();
    // Inherited sizes are reduced to the configured ones.
    const outputTokens = Math.min(flash.maxOutputTokens, 20_000);
    const expected = { ...flash, contextWindow: 20_000, maxOutputTokens: outputTokens };
    const defaultOutputTokens = Math.min(flash.defaultOutputTokens, outputTokens);
    assert.deepEqual(changed.find(flash.id), { ...expected, defaultOutputTokens });
  }
});

test("a built-in model on another type of provider keeps its sizes and prices, and has the settings of that type", async () => {
  const plain = await buildCatalog(await read(null, { OPENAI_API_KEY: "k" }));
  const source =
    "providers: {router: {type: openai-compatible, base_url: 'http://r'}}\nmodels: [{id: openai/gpt-6.1-terra, provider: router}]\n";
  const [model] = (await read(source)).models;
  const terra = plain.find("openai/gpt-6.1-terra") ?? assert.fail();
  assert.deepEqual(
    [model?.contextWindow, model?.prices, model?.tiers],
    [terra.contextWindow, terra.prices, terra.tiers],
  );
  assert.deepEqual([model?.thinking, model?.hasEndUserField], ["none", false]);
  assert.deepEqual(model?.settings, new Set(MODEL_GROUPS.B));
});

test("a model of a paid family or a public address without prices and a provider without models are warnings, with their lines", async () => {
  const source = [
    "providers:",
    "  openai: {type: openai, api_key: k}",
    "  second: {type: openai, api_key: k}",
    "  local:",
    "    type: openai-compatible",
    "    base_url: http://l",
    "  simulated: {type: simulated}",
    "  cloud: {type: openai-compatible, base_url: https://api.example.com/v1}",
    "  cluster: {type: openai-compatible, base_url: http://vllm.models.svc/v1}",
    "  lan: {type: openai-compatible, base_url: http://192.168.7.2:8000/v1}",
    "  v6: {type: openai-compatible, base_url: 'http://[fd00::7]:8000/v1'}",
    "  far: {type: openai-compatible, base_url: https://203.0.113.9/v1}",
    "models:",
    "  - {id: openai/gpt-6.1-terra, default_output_tokens: 100}",
    "  - id: openai/new",
    "  - {id: openai/free, prices: {input: 0}}",
    "  - {id: simulated/mine}",
    "  - {id: cloud/a}",
    "  - {id: cluster/a}",
    "  - {id: lan/a}",
    "  - {id: v6/a}",
    "  - {id: far/a}",
  ].join("\n");
  const { warnings } = await read(source);
  assert.deepEqual(
    warnings.map((warning) => warning.replace(configFile, "FILE")),
    [
      "FILE:15: models[1], openai/new, has no prices, so its turns are charged nothing. Set prices, 0 if that is intended.",
      "FILE:18: models[4], cloud/a, has no prices, so its turns are charged nothing. Set prices, 0 if that is intended.",
      "FILE:22: models[8], far/a, has no prices, so its turns are charged nothing. Set prices, 0 if that is intended.",
      'FILE:3: the provider "second" serves no model; list its models under models.',
      'FILE:4: the provider "local" serves no model; list its models under models.',
    ],
  );
  const none = (await read("catalog: none", { OPENAI_API_KEY: "k" })).warnings;
  assert.deepEqual(none, ['OPENAI_API_KEY: the provider "openai" serves no model; list its models under models.']);
});

test("an entry may name every setting that its provider type can send, and built-in models have no other", async () => {
  for (const family of FAMILIES) {
    const { type } = family;
    const settings = settingsOf(family);
    const source =
      `providers: {p: {type: ${type}, base_url: 'http://l', api_key: k}}\n` +
      `models: [{id: p/m, group: [${settings.join(", ")}]}, {id: p/default}]\n`;
    const config = await read(source);
    assert.deepEqual(config.models[0]?.settings, new Set(settings));
    for (const model of (await buildCatalog(config)).models) {
      assert.ok(model.settings.isSubsetOf(new Set(settings)), model.id);
    }
  }
});

test("end_user_field turns the field on, except on a wire without one", async () => {
  const source = (type: string) =>
    `providers: {p: {type: ${type}, base_url: 'http://l', api_key: k}}\nmodels: [{id: p/m, end_user_field: true}]\n`;
  assert.equal((await read(source("openai-compatible"))).models[0]?.hasEndUserField, true);
  await assert.rejects(read(source("gemini")), /models\[0\]\.end_user_field is true; allowed: false, .*gemini/);
});
