import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogModel } from "../core/models/catalog.ts";
import { describeProviders, greet, greetLater, greetWithKey, greetWithLink, pickFirstModel } from "./greeting.ts";
import type { ProviderConfig } from "../config/provider-config.ts";
import { familyOf } from "../../test/support/family-of.ts";

const ADDRESSES = { baseUrl: "http://127.0.0.1:8080/v1", manageUrl: "http://127.0.0.1:8081", hasApp: true };

function provider(name: string, type: string, because: string): ProviderConfig {
  return { name, family: familyOf(type), apiKey: null, baseUrl: null, because };
}
function model(id: string, providerName: string, price: number): CatalogModel {
  const prices = { input: price, cached_input: price, cache_write: price, output: price };
  return { id, provider: providerName, prices } as CatalogModel;
}
const OPENAI = provider("openai", "openai", "OPENAI_API_KEY");
const SIMULATED = provider("simulated", "simulated", "no configuration file");
const EXPENSIVE = model("openai/expensive", "openai", 5);
const CHEAP = model("openai/cheap", "openai", 1);
const ECHO = model("simulated/echo", "simulated", 0);

test("a key from the environment is named by its variable", () => {
  for (const [givenBy, header] of [
    ["TURNGATE_BOOTSTRAP_API_KEY", /-H "Authorization: Bearer \$TURNGATE_BOOTSTRAP_API_KEY"/],
    [
      "TURNGATE_BOOTSTRAP_API_KEY_FILE",
      /file that \w+_FILE names[^]*-H "Authorization: Bearer \$\(cat "\$TURNGATE_BOOTSTRAP_API_KEY_FILE"\)"/,
    ],
  ] as const) {
    const printed = greetWithKey({ givenBy }) + greet(ADDRESSES, "none", { key: { givenBy }, model: "simulated/echo" });
    assert.match(printed, header);
  }
});

test("the first start prints whole commands for another key and another link", () => {
  assert.match(greetWithKey({ value: "sk_1" }), /`npm run -s turngate -- keys create --org default --name "my key"` /);
  assert.match(
    greetWithLink({ value: "u" }),
    /`npm run -s turngate -- members sign-in-link owner@localhost --org default` /,
  );
});

test("a secret in a file is named by its path, which a shell reads; one that could not be written by the reason", () => {
  const key = { path: "my data/first-api-key" };
  assert.match(greetWithKey(key), /^API key: +in the file my data\/first-api-key$/m);
  const command = greet(ADDRESSES, "none", { key, model: "simulated/echo" });
  assert.match(command, /-H "Authorization: Bearer \$\(cat 'my data\/first-api-key'\)"/);
  const unwritten = greetWithLink({ path: "data/first-sign-in-link", reason: "EROFS: read-only file system" });
  assert.match(
    unwritten,
    /^Sign in: +could not be written to data\/first-sign-in-link: EROFS: read-only file system$/m,
  );
});

test("the greeting names the address of the app, and the missing command if it is not built", () => {
  const built = greet(ADDRESSES, "none", null);
  assert.match(built, /^Manage: +http:\/\/127\.0\.0\.1:8081\/$/m);
  assert.doesNotMatch(built, /npm run build/);
  assert.match(greet({ ...ADDRESSES, hasApp: false }, "none", null), /not built: run `npm run build`/);
});

test("a later start prints how to create a key, for the only organization, and that a given key is ignored", () => {
  const command = (organization: string) =>
    `npm run -s turngate -- keys create --org ${organization} --name "my key"\n`;
  assert.equal(greetLater({ organizations: ["acme"], given: null }), `\nKeys:      ${command("acme")}`);
  assert.equal(greetLater({ organizations: ["My $O's"], given: null }), `\nKeys:      ${command("'My $O'\\''s'")}`);
  assert.equal(greetLater({ organizations: ["a", "b"], given: null }), `\nKeys:      ${command("ORG")}`);
  assert.match(
    greetLater({ organizations: ["a"], given: "known" }),
    /TURNGATE_BOOTSTRAP_API_KEY is ignored: .* already a key of this store\)\n$/,
  );
  assert.match(greetLater({ organizations: ["a"], given: "unknown" }), /is ignored: .* not a key of this store\)\n$/);
});

test("each provider is listed with its models and why it is on", () => {
  assert.equal(
    describeProviders([OPENAI, SIMULATED], [EXPENSIVE, CHEAP, ECHO]),
    "2 of openai (OPENAI_API_KEY), 1 of simulated (no configuration file)",
  );
});

test("the first model to try is a simulated one, else the cheapest", () => {
  assert.equal(pickFirstModel([OPENAI, SIMULATED], [EXPENSIVE, CHEAP, model("openai/free", "openai", 0), ECHO]), ECHO);
  assert.equal(pickFirstModel([OPENAI], [EXPENSIVE, CHEAP]), CHEAP);
  assert.equal(pickFirstModel([OPENAI], []), null);
});

test("a paid model without prices is not taken for the cheapest, a local one is", () => {
  const unpriced = model("openai/unpriced", "openai", 0);
  assert.equal(pickFirstModel([OPENAI], [unpriced, EXPENSIVE, CHEAP]), CHEAP);
  assert.equal(pickFirstModel([OPENAI], [unpriced]), unpriced);
  const local = model("ollama/llama", "ollama", 0);
  const ollama = provider("ollama", "openai-compatible", "turngate.yaml");
  assert.equal(pickFirstModel([OPENAI, ollama], [CHEAP, local]), local);
});
