import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { DEFAULT_LIMITS } from "../contract/limits.ts";
import { buildCatalog } from "./catalog.ts";
import { readConfig } from "./config.ts";
import type { Variables } from "./environment.ts";
import { SETTINGS_OF_TYPE } from "./model-defaults.ts";
import { OperatorError } from "./operator-error.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-config-"));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, "turngate.yaml");

/** The configuration of that file and environment. */
function read(source: string | Buffer | null, variables: Variables = {}) {
  if (source === null) return readConfig(variables);
  writeFileSync(file, source);
  return readConfig({ TURNGATE_CONFIG: file, ...variables });
}

async function readWrong(source: string | Buffer | null, variables: Variables = {}): Promise<string> {
  const error = await read(source, variables).then(
    () => assert.fail("the configuration was taken"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof OperatorError, String(error));
  assert.ok(!error.message.includes("\n"), error.message);
  return error.message.replace(file, "FILE");
}

test("the management interface has an address of its own", async () => {
  assert.equal((await read(null, { PORT: "0" })).managePort, 0);
  assert.equal((await read(null, { PORT: "0", MANAGE_PORT: "9" })).managePort, 9);
  const source = "server: {host: 0.0.0.0, manage_port: 7, manage_host: 10.0.0.1, manage_url: 'https://manage.test/'}";
  const { host, manageHost, managePort, manageUrl } = await read(source);
  assert.deepEqual([host, manageHost, managePort, manageUrl], ["0.0.0.0", "10.0.0.1", 7, "https://manage.test"]);
  assert.equal((await read(source, { MANAGE_URL: "http://m.test" })).manageUrl, "http://m.test");
  assert.equal((await read(null, { MANAGE_URL: "https://M.Test:443/" })).manageUrl, "https://m.test");
  assert.equal((await read("server: {manage_url: 'http://M.Test:81'}")).manageUrl, "http://m.test:81");
});

test("without environment and file everything has its default", async () => {
  assert.deepEqual(await read(null), {
    file: null,
    host: "127.0.0.1",
    port: 8080,
    manageHost: "127.0.0.1",
    managePort: 8081,
    manageUrl: null,
    databasePath: "./data/turngate.db",
    rootSecret: null,
    bootstrapApiKey: null,
    logLevel: "info",
    providers: [{ name: "simulated", type: "simulated", apiKey: null, baseUrl: null }],
    models: [],
    hasBuiltInModels: true,
    limits: DEFAULT_LIMITS,
    usdPerCredit: 0.01,
  });
});

test("an empty file and empty variables say nothing", async () => {
  const empty = { HOST: "", PORT: "", DATABASE_URL: "", TURNGATE_SECRET: "", LOG_LEVEL: "", OPENAI_API_KEY: "" };
  assert.deepEqual({ ...(await read("# nothing\n", empty)), file: null }, await read(null));
});

test("the environment goes before the file", async () => {
  const source = "server: {host: 0.0.0.0, port: 1}\nstore: {database_url: 'sqlite:a.db'}\n";
  const fromFile = await read(source);
  assert.deepEqual([fromFile.host, fromFile.port, fromFile.databasePath], ["0.0.0.0", 1, "a.db"]);
  const both = await read(source, { HOST: "::1", PORT: "0", DATABASE_URL: "sqlite:/b.db" });
  assert.deepEqual([both.host, both.port, both.databasePath], ["::1", 0, "/b.db"]);
});

test("a sqlite URL may have its slashes", async () => {
  assert.equal((await read(null, { DATABASE_URL: "sqlite:///var/x.db" })).databasePath, "/var/x.db");
  assert.equal((await read(null, { DATABASE_URL: "sqlite://./x.db" })).databasePath, "./x.db");
});

const wrongVariables: readonly (readonly [Variables, RegExp])[] = [
  [{ PORT: "80a" }, /^PORT is "80a"; allowed: a whole number from 0 .* to 65535/],
  [{ PORT: "65536" }, /^PORT/],
  [{ MANAGE_PORT: "-1" }, /^MANAGE_PORT/],
  [{ MANAGE_URL: "https://host/path" }, /^MANAGE_URL .* allowed: an origin/],
  [{ MANAGE_URL: "https://host:99999" }, /^MANAGE_URL .* allowed: an origin/],
  [{ DATABASE_URL: "mysql://x" }, /^DATABASE_URL is "mysql:\/\/x"; allowed: sqlite:PATH/],
  [
    { DATABASE_URL: "postgres://u:secret@h/d" },
    /^DATABASE_URL names a PostgreSQL database, but PostgreSQL support is not built in this release/,
  ],
  [{ TURNGATE_SECRET: "short" }, /^TURNGATE_SECRET has 5 characters; allowed: any text of 32 or more/],
  [{ TURNGATE_BOOTSTRAP_API_KEY: "sk_test" }, /^TURNGATE_BOOTSTRAP_API_KEY is not an API key/],
  [{ LOG_LEVEL: "loud" }, /^LOG_LEVEL is "loud"; allowed: debug, info, warn, error, silent/],
  [{ DATABASE_URL: "MYSQL://u:secret@h/d" }, /^DATABASE_URL is "MYSQL:\/\/…@h\/d"; allowed: sqlite:PATH/],
  [{ MANAGE_URL: "https://u:secret@host" }, /^MANAGE_URL is "https:\/\/…@host"; allowed: an origin/],
  [
    { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "https://u:secret@host/" },
    /^OPENAI_BASE_URL is "https:\/\/…@host\/"; .* without/,
  ],
  [
    { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "https://u:se/c?r#et@x@host/" },
    /^OPENAI_BASE_URL is "https:\/\/…@host\/"; .* without/,
  ],
  [{ GEMINI_API_KEY: "secret\n" }, /^GEMINI_API_KEY holds characters that no header can/],
  [{ OPENAI_API_KEY: "k", OPENAI_BASE_URL: "nowhere" }, /^OPENAI_BASE_URL is "nowhere"/],
  [{ OPENAI_API_KEY: "k", OPENAI_BASE_URL: "ftp://host/" }, /^OPENAI_BASE_URL is "ftp:\/\/host\/"; allowed: an http/],
  [{ TURNGATE_CONFIG: "/nonexistent.yaml" }, /\/nonexistent.yaml can't be read \(ENOENT\)/],
];
for (const [variables, expected] of wrongVariables) {
  test(`the environment ${JSON.stringify(variables)} is refused by name`, async () => {
    const message = await readWrong(null, variables);
    assert.match(message, expected);
    assert.ok(!message.includes("secret"));
  });
}

const wrongFiles: readonly (readonly [string, string | Buffer, RegExp])[] = [
  ["no YAML", "server:\n  host: [", /^FILE:\d: this is no valid YAML/],
  ["no mapping", "- a\n", /^FILE:1: the file is a list; allowed: server, store, providers, .*, credits.$/],
  ["a text alone", "hello\n", /^FILE:1: the file is "hello"; allowed: server, store, /],
  [
    "two documents",
    "server: {}\n---\nserver: {}\n",
    /^FILE:2: the file holds more than one document; allowed: one, without a line of --- inside.$/,
  ],
  [
    "the text of another encoding",
    Buffer.from("\ufeffserver: {}\n", "utf16le"),
    /^FILE:1: the file must be UTF-8 text.$/,
  ],
  ["an encoding without a mark", Buffer.from("server: {}\n", "utf16le"), /^FILE:1: the file must be UTF-8 text.$/],
  ["a letter of another encoding", Buffer.from("\nserver: {host: é}\n", "latin1"), /^FILE:2: the file must be UTF-8/],
  [
    "a key that every object has",
    "server: {}\n__proto__: 1\n",
    /^FILE:2: there is no key "__proto__" in the file; allowed: server, store, /,
  ],
  ["a method's name", "server:\n  toString: 1\n", /^FILE:2: there is no key "toString" in server; allowed: host, /],
  ["a repeated key", "limits: {}\nlimits: {}\n", /^FILE:2: this is no valid YAML/],
  [
    "an unknown section",
    "server: {}\nserver2: {}\n",
    /^FILE:2: there is no key "server2" in the file; allowed: server, store, providers, catalog, models, limits, credits/,
  ],
  [
    "an unknown key",
    "limits:\n  body_bytes: 2000\n  body_size: 1\n",
    /^FILE:3: there is no key "body_size" in limits; allowed: non_streaming_wait_seconds, /,
  ],
  [
    "an address with a long password",
    `server:\n  manage_url: https://u:${"secret".repeat(20)}@host/path\n`,
    /^FILE:2: server.manage_url is "https:\/\/…@host\/path"; allowed: an origin/,
  ],
  [
    "a wrong type",
    "limits:\n  concurrent_turns: many\n",
    /^FILE:2: limits.concurrent_turns is "many"; allowed: a whole number, 1 or more/,
  ],
  [
    "a wrong number",
    "\n\nlimits:\n  requests_per_minute:\n    create: 0\n",
    /^FILE:5: limits.requests_per_minute.create is 0; allowed: a whole number, 1 or more/,
  ],
  ["an empty value", "server:\n  port:\n", /^FILE:2: server.port is empty; allowed: a whole number/],
  [
    "a wrong provider type",
    "providers:\n  x:\n    type: cohere\n",
    /^FILE:3: providers.x.type is "cohere"; allowed: one of anthropic, gemini, openai, openai-compatible, simulated/,
  ],
  ["a provider without type", "providers:\n  x:\n    base_url: http://x\n", /^FILE:\d: providers.x lacks type/],
  [
    "a wrong provider name",
    "providers:\n  'X y':\n    type: simulated\n",
    /^FILE:\d: there is no key "X y" in providers; allowed: .* small letters/,
  ],
  ["a provider without its key", "providers:\n  a:\n    type: anthropic\n", /^FILE:\d: providers.a lacks api_key/],
  [
    "a compatible provider without address",
    "providers:\n  o:\n    type: openai-compatible\n",
    /^FILE:\d: providers.o lacks base_url/,
  ],
  [
    "an unknown variable",
    "providers:\n  x:\n    type: openai\n    api_key: ${NO_SUCH}\n",
    /^FILE:4: \$\{NO_SUCH\} is not in the environment/,
  ],
  [
    "an empty variable",
    "server:\n  host: ${EMPTY}\n",
    /^FILE:2: \$\{EMPTY\} is empty in the environment; set the variable or write the value here.$/,
  ],
  [
    "a model without slash",
    "models:\n  - id: gpt\n",
    /^FILE:2: models\[0\].id is "gpt"; allowed: a text of the form <provider>\/<model>/,
  ],
  [
    "a model of no provider",
    "models:\n  - id: acme/x\n",
    /^FILE:2: models\[0\] names the provider "acme", which is not configured; allowed: simulated/,
  ],
  [
    "a model twice",
    "models:\n  - id: simulated/x\n  - id: simulated/x\n",
    /^FILE:3: models\[1\].id is "simulated\/x", which stands in the list already/,
  ],
  [
    "a wrong group",
    "models:\n  - id: simulated/x\n    group: D\n",
    /^FILE:3: models\[0\].group is "D"; allowed: A, B, C, or a list of accepted settings out of parallel_tool_calls/,
  ],
  ["a wrong setting", "models:\n  - id: simulated/x\n    group: [temperature, heat]\n", /^FILE:3: models\[0\].group/],
  [
    "a wrong effort",
    "models:\n  - id: simulated/x\n    thinking: hard\n",
    /^FILE:3: models\[0\].thinking is "hard"; allowed: none, a token budget/,
  ],
  [
    "a group that the provider's type can't carry",
    "providers: {a: {type: anthropic, api_key: k}}\nmodels:\n  - id: a/b\n    group: B\n",
    /^FILE:4: models\[0\].group holds temperature; allowed: A, or a list out of parallel_tool_calls, text.format, since providers of type anthropic take no other setting.$/,
  ],
  [
    "a setting that the provider's type can't carry",
    "providers: {g: {type: gemini, api_key: k}}\nmodels:\n  - id: g/c\n    group: [top_p, text.verbosity]\n",
    /^FILE:4: models\[0\].group holds text.verbosity; allowed: B, or a list out of temperature, .* type gemini take/,
  ],
  [
    "a group of a type that has two",
    "providers: {o: {type: openai, api_key: k}}\nmodels:\n  - id: o/b\n    group: B\n",
    /^FILE:4: models\[0\].group holds temperature; allowed: A, C, or a list out of /,
  ],
  [
    "a budget that OpenAI can't be told",
    "providers: {o: {type: openai, api_key: k}}\nmodels:\n  - id: o/b\n    thinking: 2000\n",
    /^FILE:4: models\[0\].thinking is 2000; allowed: none or an effort \(low, .*\), since providers of type openai take no budget.$/,
  ],
  [
    "a budget that no server of chat completions knows",
    "providers: {c: {type: openai-compatible, base_url: 'http://c'}}\nmodels:\n  - id: c/b\n    thinking: 2000\n",
    /^FILE:4: models\[0\].thinking is 2000; allowed: none or an effort .* type openai-compatible take no budget.$/,
  ],
  [
    "too much output",
    "models:\n  - id: simulated/x\n    context_window: 4000\n    max_output_tokens: 5000\n",
    /^FILE:4: models\[0\].max_output_tokens is 5000; allowed: at most context_window \(4000\)/,
  ],
  [
    "a wrong price",
    "models:\n  - id: simulated/x\n    prices:\n      input: -1\n",
    /^FILE:4: models\[0\].prices.input is -1; allowed: USD per million tokens/,
  ],
  [
    "a price tier twice",
    "models:\n  - id: simulated/x\n    prices:\n      tiers:\n        - above_input_tokens: 5\n        - above_input_tokens: 5\n",
    /^FILE:6: models\[0\].prices.tiers\[1\].above_input_tokens is 5, which stands in the list already/,
  ],
  [
    "a number without end",
    "limits:\n  queued_turns: 1e999\n",
    /^FILE:2: limits.queued_turns is Infinity; allowed: a whole number, 0 or more, at most 1000000000/,
  ],
  [
    "a base URL that is none",
    "providers:\n  o:\n    type: openai-compatible\n    base_url: http://host:99999\n",
    /^FILE:4: providers.o.base_url must be an http or https address/,
  ],
  [
    "a password in a base URL",
    "providers:\n  o:\n    type: openai-compatible\n    base_url: http://u:pass@host\n",
    /^FILE:4: providers.o.base_url must hold no user or password: use api_key.$/,
  ],
  [
    "a key with a line break",
    'providers:\n  a:\n    type: anthropic\n    api_key: "k\\n"\n',
    /^FILE:4: providers.a.api_key holds characters that no header can.$/,
  ],
  ["a wrong origin", "server:\n  manage_url: https://h:99999\n", /^FILE:2: server.manage_url is "https:\/\/h:99999"/],
  ["an alias of nothing", "server:\n  host: *nowhere\n", /^FILE:2: there is no anchor "nowhere" before its alias/],
  [
    "aliases without end",
    `a: &a [${"x,".repeat(99)}]\nb: &b [${"*a,".repeat(99)}]\nc: [${"*b,".repeat(99)}]\n`,
    /^FILE:3: there are too many aliases of aliases.$/,
  ],
  [
    "an alias within its own anchor",
    "server: &a\n  host: *a\n",
    /^FILE:2: the alias "a" stands within its own anchor.$/,
  ],
  ["an unknown tag", "server:\n  host: !env HOST\n", /^FILE:2: this is no valid YAML: Unresolved tag: !env/],
  ["a wrong catalog", "catalog: mine\n", /^FILE:1: catalog is "mine"; allowed: built-in or none/],
  [
    "a wrong database",
    "store:\n  database_url: postgresql://h/d\n",
    /^FILE:2: store.database_url names a PostgreSQL database/,
  ],
];
for (const [name, source, expected] of wrongFiles) {
  test(`a file with ${name} is refused with its line`, async () =>
    assert.match(await readWrong(source, { EMPTY: "" }), expected));
}

test("${NAME} takes texts, numbers and parts of texts from the environment, and is never shown", async () => {
  const source =
    "server: {port: '${WEB_PORT}'}\nproviders:\n  o:\n    type: openai-compatible\n    api_key: ${KEY}\n    base_url: http://${WHERE}/v1\n";
  const config = await read(source, { WEB_PORT: "99", KEY: "12345", WHERE: "host" });
  assert.equal(config.port, 99);
  assert.deepEqual(config.providers, [
    { name: "o", type: "openai-compatible", apiKey: "12345", baseUrl: "http://host/v1" },
  ]);
  const message = await readWrong("server:\n  port: ${KEY}\n", { KEY: "CANARY" });
  assert.match(message, /^FILE:2: server.port has a value that is not allowed; allowed: a whole number/);
  assert.match(
    await readWrong("providers: {o: {type: openai, api_key: 12}}"),
    /api_key has a value that is not allowed/,
  );
});

const families: readonly (readonly [variable: string, type: string, model: string])[] = [
  ["ANTHROPIC", "anthropic", "anthropic/claude-opus-5-5"],
  ["GEMINI", "gemini", "google/gemini-3.8-flash"],
  ["OPENAI", "openai", "openai/gpt-6.1-terra"],
];
for (const [variable, type, model] of families) {
  test(`the key of ${type} turns it and its models on, and the simulated ones off`, async () => {
    const config = await read(null, { [`${variable}_API_KEY`]: "CANARY", [`${variable}_BASE_URL`]: "http://host" });
    assert.deepEqual(config.providers, [{ name: type, type, apiKey: "CANARY", baseUrl: "http://host" }]);
    const catalog = await buildCatalog(config);
    assert.equal(catalog.find(model)?.provider, type);
    assert.equal(catalog.find("simulated/echo"), undefined);
  });
}

test("the built-in models of a provider are served by it under whatever name it has", async () => {
  const config = await read("providers: {mine: {type: gemini, api_key: k}, simulated: {type: simulated}}\n");
  const { models } = await buildCatalog(config);
  assert.deepEqual(new Set(models.map(({ provider }) => provider)), new Set(["mine", "simulated"]));
});

test("a real provider turns the simulated one off, unless it is configured too", async () => {
  const names = async (source: string) => (await read(source)).providers.map((provider) => provider.name);
  const real = "o: {type: openai-compatible, base_url: 'http://b'}";
  assert.deepEqual(await names(`providers: {${real}}`), ["o"]);
  assert.deepEqual(await names(`providers: {${real}, simulated: {type: simulated}}`), ["o", "simulated"]);
  assert.deepEqual(await names("providers: {mine: {type: simulated}}"), ["mine"]);
});

test("a model has the defaults of its provider, and what its entry says", async () => {
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

test("every setting that a type of provider can carry may be named, and all built-in models are within them", async () => {
  for (const [type, settings] of Object.entries(SETTINGS_OF_TYPE)) {
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

test("a server that takes the end user is told of it, a wire without a field for it can't be", async () => {
  const source = (type: string) =>
    `providers: {p: {type: ${type}, base_url: 'http://l', api_key: k}}\nmodels: [{id: p/m, end_user_field: true}]\n`;
  assert.equal((await read(source("openai-compatible"))).models[0]?.hasEndUserField, true);
  await assert.rejects(read(source("gemini")), /models\[0\]\.end_user_field is true; allowed: false, .*gemini/);
});

test("a limit that is given replaces the default, the others stay", async () => {
  const config = await read(
    "limits: {stream_ceiling_seconds: 0.5, requests_per_minute: {create: 5}}\ncatalog: none\ncredits: {usd_per_credit: 1}\n",
  );
  assert.deepEqual(config.limits, {
    ...DEFAULT_LIMITS,
    stream_ceiling_seconds: 0.5,
    requests_per_minute: { ...DEFAULT_LIMITS.requests_per_minute, create: 5 },
  });
  assert.deepEqual([config.hasBuiltInModels, config.usdPerCredit], [false, 1]);
});

test("anchors are followed", async () => {
  const source =
    "limits:\n  requests_per_minute: &all {create: 1}\nmodels:\n  - &one {id: simulated/a, context_window: 3000}\n  - {id: simulated/b, prices: *all}\n";
  assert.match(await readWrong(source), /^FILE:\d: there is no key "create" in models\[1\].prices/);
});
