import assert from "node:assert/strict";
import { test } from "node:test";
import { buildCatalog } from "./catalog.ts";
import { configFile, read, SIMULATED } from "../../test/support/config.ts";
import { familyOf } from "../../test/support/family-of.ts";

const families: readonly (readonly [variable: string, type: string, model: string])[] = [
  ["ANTHROPIC", "anthropic", "anthropic/claude-opus-5-5"],
  ["GEMINI", "gemini", "google/gemini-3.8-flash"],
  ["OPENAI", "openai", "openai/gpt-6.1-terra"],
];
for (const [variable, type, model] of families) {
  test(`the key of ${type} turns it and its models on, beside the simulated ones`, async () => {
    const config = await read(null, { [`${variable}_API_KEY`]: "CANARY", [`${variable}_BASE_URL`]: "http://host" });
    const family = familyOf(type);
    const expected = { name: type, family, apiKey: "CANARY", baseUrl: "http://host", because: `${variable}_API_KEY` };
    assert.deepEqual(config.providers, [expected, SIMULATED]);
    const catalog = await buildCatalog(config);
    assert.equal(catalog.find(model)?.provider, type);
    assert.equal(catalog.find("simulated/echo")?.provider, "simulated");
  });
}

test("with a file only the environment's families are on, unless it lists the simulated provider", async () => {
  const names = async (source: string) =>
    (await read(source, { OPENAI_API_KEY: "k" })).providers.map((provider) => provider.name);
  assert.deepEqual(await names("limits: {}"), ["openai"]);
  assert.deepEqual(await names("providers: {simulated: {type: simulated}}"), ["openai", "simulated"]);
});

test("a provider of any name serves the built-in models of its type", async () => {
  const config = await read("providers: {mine: {type: gemini, api_key: k}, simulated: {type: simulated}}\n");
  const { models } = await buildCatalog(config);
  assert.deepEqual(new Set(models.map(({ provider }) => provider)), new Set(["mine", "simulated"]));
});

test("a real provider turns the simulated one off, unless that is configured too", async () => {
  const names = async (source: string) => (await read(source)).providers.map((provider) => provider.name);
  const real = "o: {type: openai-compatible, base_url: 'http://b'}";
  assert.deepEqual(await names(`providers: {${real}}`), ["o"]);
  assert.deepEqual(await names(`providers: {${real}, simulated: {type: simulated}}`), ["o", "simulated"]);
  assert.deepEqual(await names("providers: {mine: {type: simulated}}"), ["mine"]);
});

test("a provider may have several keys, headers of its own and a timeout", async () => {
  const source =
    "providers: {o: {type: openai, api_keys: ['${A}', '${B}'], headers: {X-Team: '${A}'}, timeout_seconds: 2.5}}\n";
  const [provider] = (await read(source, { A: "a", B: "b" })).providers;
  assert.deepEqual(provider, {
    name: "o",
    family: familyOf("openai"),
    apiKey: "a",
    furtherApiKeys: ["b"],
    baseUrl: null,
    headers: { "X-Team": "a" },
    timeoutSeconds: 2.5,
    because: configFile,
  });
});

test("proxies come from the environment; lower-case names take precedence, and http:// is optional", async () => {
  const { proxies } = await read(null, { HTTPS_PROXY: "a:1", https_proxy: "b:2", HTTP_PROXY: "", NO_PROXY: "c" });
  assert.deepEqual([proxies.http, proxies.https?.href, proxies.exempt], [null, "http://b:2/", "c"]);
});
