import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_LIMITS } from "../contract/limits.ts";
import { configFile, read, readWrong, SIMULATED } from "../../test/support/config.ts";
import { familyOf } from "../../test/support/family-of.ts";
import { FAMILIES } from "../providers/families.ts";

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

test("the public URL is the base URL of /v1, as an origin or with /v1; the variable takes precedence", async () => {
  for (const given of ["https://API.test", "https://api.test/", "https://api.test/v1", "https://api.test:443/v1/"]) {
    assert.equal((await read(null, { PUBLIC_URL: given })).publicUrl, "https://api.test/v1", given);
  }
  const source = "server: {public_url: 'http://api.test:81'}";
  assert.equal((await read(source)).publicUrl, "http://api.test:81/v1");
  assert.equal((await read(source, { PUBLIC_URL: "https://other.test" })).publicUrl, "https://other.test/v1");
});

test("without environment and file everything has its default", async () => {
  const { prices, ...config } = await read(null);
  assert.equal(prices.own, null);
  assert.deepEqual(config, {
    file: null,
    host: "127.0.0.1",
    port: 8080,
    manageHost: "127.0.0.1",
    managePort: 8081,
    manageUrl: null,
    publicUrl: null,
    trustedProxies: [],
    contentExport: null,
    metadataKey: null,
    metricsByOrganization: false,
    database: { engine: "sqlite", location: "./data/turngate.db" },
    connections: {
      connections: 10,
      long_read_connections: 2,
      connect_timeout_seconds: 2,
      statement_timeout_seconds: 5,
      long_read_timeout_seconds: 60,
      lock_timeout_seconds: 2,
    },
    rootSecret: null,
    formerSecret: null,
    bootstrapApiKey: null,
    logLevel: "info",
    families: FAMILIES,
    providers: [SIMULATED],
    models: [],
    hasBuiltInModels: true,
    aliases: {},
    proxies: { http: null, https: null, exempt: "" },
    extraCertificates: [],
    singleSignOn: null,
    limits: DEFAULT_LIMITS,
    usdPerCredit: 0.01,
    warnings: [],
  });
});

test("an empty file and empty variables change nothing but which file was read", async () => {
  const empty = { HOST: "", PORT: "", DATABASE_URL: "", TURNGATE_SECRET: "", LOG_LEVEL: "", OPENAI_API_KEY: "" };
  const expected = { ...(await read(null)), providers: [{ ...SIMULATED, because: "no other provider is configured" }] };
  assert.deepEqual({ ...(await read("# nothing\n", empty)), file: null }, expected);
});

test("the environment overrides the file", async () => {
  const source = "server: {host: 0.0.0.0, port: 1}\nstore: {database_url: 'sqlite:a.db'}\n";
  const fromFile = await read(source);
  assert.deepEqual([fromFile.host, fromFile.port, fromFile.database.location], ["0.0.0.0", 1, "a.db"]);
  const both = await read(source, { HOST: "::1", PORT: "0", DATABASE_URL: "sqlite:/b.db" });
  assert.deepEqual([both.host, both.port, both.database.location], ["::1", 0, "/b.db"]);
});

test("a sqlite URL may have its slashes", async () => {
  assert.equal((await read(null, { DATABASE_URL: "sqlite:///var/x.db" })).database.location, "/var/x.db");
  assert.equal((await read(null, { DATABASE_URL: "sqlite://./x.db" })).database.location, "./x.db");
  const url = "postgresql://u:secret@h:1/d?sslmode=require";
  assert.deepEqual((await read(null, { DATABASE_URL: url })).database, { engine: "postgres", location: url });
});

test("${NAME} inserts strings, numbers and parts of strings from the environment, and its value is never shown", async () => {
  const source =
    "server: {port: '${WEB_PORT}'}\nproviders:\n  o:\n    type: openai-compatible\n    api_key: ${KEY}\n    base_url: http://${WHERE}/v1\n";
  const config = await read(source, { WEB_PORT: "99", KEY: "12345", WHERE: "host" });
  assert.equal(config.port, 99);
  assert.deepEqual(config.providers, [
    {
      name: "o",
      family: familyOf("openai-compatible"),
      apiKey: "12345",
      baseUrl: "http://host/v1",
      because: configFile,
    },
  ]);
  const message = await readWrong("server:\n  port: ${KEY}\n", { KEY: "CANARY" });
  assert.match(message, /^FILE:2: server.port has a value that is not allowed; allowed: a whole number/);
  assert.match(
    await readWrong("providers: {o: {type: openai, api_key: 12}}"),
    /api_key has a value that is not allowed/,
  );
});

test("${NAME} is replaced within braces and brackets too, quoted or not", async () => {
  const source =
    "providers: { o: { type: openai-compatible, api_key: ${KEY}, base_url: http://${WHERE}/v1 } }\nserver: { port: ${WEB_PORT} }\n" +
    'models: [ { id: o/${WHERE}, owned_by: "${KEY}", group: [ ${GROUP}, top_p ] } ]\n';
  const variables = { WEB_PORT: "99", KEY: "12345", WHERE: "host", GROUP: "temperature" };
  const { port, providers, models } = await read(source, variables);
  assert.equal(port, 99);
  assert.deepEqual([providers[0]?.apiKey, providers[0]?.baseUrl], ["12345", "http://host/v1"]);
  const [model] = models;
  assert.deepEqual(
    [model?.id, model?.ownedBy, model?.settings],
    ["o/host", "12345", new Set(["temperature", "top_p"])],
  );
});

test("a configured limit replaces its default, the others keep theirs", async () => {
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

test("an anchor may have any number of aliases", async () => {
  const models = Array.from({ length: 300 }, (_, index) => `  - {id: simulated/m${index}, prices: *free}\n`);
  const source = `models:\n  - {id: simulated/a, prices: &free {input: 1}}\n${models.join("")}`;
  assert.equal((await read(source)).models.at(-1)?.prices.input, 1);
});

test("aliases resolve to their anchors", async () => {
  const source =
    "limits:\n  requests_per_minute: &all {create: 1}\nmodels:\n  - &one {id: simulated/a, context_window: 3000}\n  - {id: simulated/b, prices: *all}\n";
  assert.match(await readWrong(source), /^FILE:2: there is no key "create" in models\[1\].prices/);
});
