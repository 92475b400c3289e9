// Whose prices the price list has: those of a family's maker, at its own address. A host and another server have their own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { read } from "../../test/support/config.ts";
import { FAMILIES } from "../providers/families.ts";
import { createKeyCheck } from "../providers/key-checks.ts";
import { HOST_SERVICES } from "../../test/support/host-services.ts";
import { buildCatalog } from "./catalog.ts";
import { listUnpricedDiscovered } from "./discovered-models.ts";

const VERTEX = "host: {type: vertex, project: my-project, region: europe-west1, identity: default}";
const PROVIDERS = `providers:
  claude: {type: anthropic, ${VERTEX}}
  gemini-eu: {type: gemini, ${VERTEX}}
  azure: {type: openai, base_url: "https://x.openai.azure.com", api_key: k, host: {type: azure}}
  eu: {type: openai, base_url: "https://eu.api.openai.com/v1", api_key: k}
  openai: {type: openai, base_url: "https://api.openai.com/v1", api_key: k}
  anthropic: {type: anthropic, api_key: k}
`;
const FREE = { input: 0, cached_input: 0, cache_write: 0, output: 0 };

/** The prices, tiers and window of an entry's model, and whether a warning says that it has no prices. */
async function readEntry(entry: string) {
  const { models, warnings } = await read(`${PROVIDERS}models:\n  - ${entry}\n`);
  const [model] = models;
  const [served] = model?.targets ?? [model];
  const isWarned = warnings.some((warning) =>
    /models\[0\].* has no prices, so its turns are charged nothing/.test(warning),
  );
  return { prices: served?.prices, tiers: served?.tiers, window: served?.contextWindow, isWarned };
}

test("a host, and another address than the maker's, have no prices of the list, and a warning", async () => {
  for (const [name, window] of [
    ["claude/claude-opus-4-8", 1_000_000],
    ["gemini-eu/gemini-2.5-pro", 1_048_576],
    ["eu/gpt-5.4", 1_050_000],
    // The name of a deployment says nothing.
    ["azure/gpt-5.4", 128_000],
  ] as const) {
    const [provider, upstream] = name.split("/");
    for (const entry of [
      `{id: ${name}}`,
      `{id: t/x, targets: [{provider: ${provider}, upstream_model: ${upstream}}]}`,
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- a configuration after the other
      assert.deepEqual(await readEntry(entry), { prices: FREE, tiers: undefined, window, isWarned: true }, entry);
    }
  }
  for (const name of ["openai/gpt-5.4", "anthropic/claude-opus-4-8"]) {
    // oxlint-disable-next-line no-await-in-loop -- a configuration after the other
    const { prices, isWarned } = await readEntry(`{id: ${name}}`);
    assert.ok(Number(prices?.input) > 0 && !isWarned, name);
  }
});

test("a built-in model's traits are those of its name at a host too, its prices are not", async () => {
  for (const entry of [
    "{id: anthropic/claude-haiku-5-5, provider: claude}",
    "{id: t/x, targets: [{provider: claude, upstream_model: claude-haiku-5-5}]}",
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- a configuration after the other
    const found = await readEntry(entry);
    assert.deepEqual(found, { prices: FREE, tiers: undefined, window: 1_000_000, isWarned: true }, entry);
  }
  const { models } = await read(
    `${PROVIDERS}models: [{id: t/x, targets: [{provider: azure, upstream_model: gpt-6.1-terra}]}]\n`,
  );
  assert.equal(models[0]?.thinking, "none", "of a deployment nothing is known");
});

test("a wildcard there lists no names, and its names have no prices", async () => {
  for (const provider of ["claude", "azure", "eu"]) {
    // oxlint-disable-next-line no-await-in-loop -- a configuration after the other
    const config = await read(`${PROVIDERS}catalog: none\nmodels: [{id: ${provider}/*}]\n`);
    // oxlint-disable-next-line no-await-in-loop -- a configuration after the other
    const catalog = await buildCatalog(config);
    assert.deepEqual(
      catalog.models.map(({ id }) => id),
      [`${provider}/*`],
    );
    assert.equal(catalog.find(`${provider}/gpt-5.4`)?.prices.input, 0);
    assert.match(config.warnings.join("\n"), /\*, has no prices, so its turns are charged nothing/);
  }
  const { models } = await buildCatalog(await read(`${PROVIDERS}catalog: none\nmodels: [{id: openai/*}]\n`));
  assert.ok(models.length > 20);
});

test("what a server at another address lists has the list's sizes, and no prices", async () => {
  const config = await read(
    `${PROVIDERS}catalog: none\n`.replace("api_key: k}\n  openai", "api_key: k, discover: true}\n  openai"),
  );
  const listed = [{ name: "gpt-5.4", contextWindow: null, maxOutputTokens: null }];
  const { models } = await buildCatalog(config, new Map([["eu", listed]]));
  assert.deepEqual(
    models.map(({ id, prices, contextWindow }) => [id, prices.input, contextWindow]),
    [["eu/gpt-5.4", 0, 1_050_000]],
  );
  assert.match(
    listUnpricedDiscovered(models, config.providers).join(),
    /the provider "eu" lists models that have no prices/,
  );
});

test("built-in models keep the maker's prices at another public address, with a warning", async () => {
  const warningsAt = async (url: string, rest = "") => {
    const { warnings } = await read(`${rest}models: [{id: openai/gpt-6.1-terra}]\n`, {
      OPENAI_API_KEY: "k",
      OPENAI_BASE_URL: url,
    });
    return warnings.filter((warning) => warning.includes("maker's prices"));
  };
  assert.deepEqual(await warningsAt("https://eu.api.openai.com/v1"), [
    "the provider \"openai\" is not at its maker's address, but its built-in models have the maker's prices. Set those of that address under models, or catalog: none.",
  ]);
  assert.deepEqual(await warningsAt("https://api.openai.com/v1"), []);
  assert.deepEqual(await warningsAt("http://127.0.0.1:4000/v1"), []);
  assert.deepEqual(await warningsAt("https://eu.api.openai.com/v1", "catalog: none\n"), []);
  const { warnings } = await read(null, { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "https://gateway.example" });
  assert.match(warnings.join("\n"), /the provider "anthropic" is not at its maker's address/);
});

test("the host of each maker is that of the address which its family uses", async () => {
  for (const family of FAMILIES.filter(({ makerHost }) => makerHost !== null)) {
    // oxlint-disable-next-line no-await-in-loop -- one family after the other
    const check = await createKeyCheck({ name: "it", family, apiKey: "k", baseUrl: null }, HOST_SERVICES);
    assert.equal(check?.url.host, family.makerHost);
  }
});
