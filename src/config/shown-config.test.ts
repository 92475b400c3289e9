import assert from "node:assert/strict";
import { test } from "node:test";
import { Check } from "typebox/value";
import { read } from "../../test/support/config.ts";
import { ShownConfiguration } from "../contract/manage/configuration.ts";
import { NO_PROXIES } from "../providers/wire/proxies.ts";
import type { Config } from "./config.ts";
import { showConfig } from "./shown-config.ts";

const FILE = `
server: { host: 0.0.0.0, port: 9000, manage_host: 10.0.0.1, manage_port: 9001, manage_url: "https://manage.test", public_url: "https://api.test", trusted_proxies: [10.0.0.0/8] }
store: { database_url: "postgres://SECRET:SECRET@db.test:5433/SECRET?password=SECRET&application_name=SECRET" }
credits: { usd_per_credit: 0.5 }
single_sign_on:
  issuer: https://login.test/SECRET
  client_id: SECRET
  client_secret: SECRET
  rules: [{ role: operator, group: SECRET }]
limits: { drain_seconds: 7, requests_per_minute: { create: 11 } }
providers:
  ollama:
    type: openai-compatible
    base_url: "http://SECRET:SECRET@ollama.test:11434/SECRET/v1?key=SECRET"
    api_keys: [SECRET-1, SECRET-2]
    headers: { x-team: SECRET, x-other: SECRET }
    timeout_seconds: 9
models:
  - { id: ollama/qwen3, provider: ollama, upstream_model: SECRET, group: [temperature], context_window: 32768, max_output_tokens: 8192 }
`;

const VARIABLES = {
  TURNGATE_SECRET: "SECRET-SECRET-SECRET-SECRET-SECRET-SECRET",
  OPENAI_API_KEY: "SECRET",
  OPENAI_BASE_URL: "https://SECRET@openai.test/SECRET",
  HTTPS_PROXY: "http://SECRET:SECRET@proxy.test:3128",
  LOG_LEVEL: "warn",
};

test("the settings in force are shown, of addresses scheme, host and port, of keys their number", async () => {
  const config = await read(FILE.replace("http://SECRET:SECRET@ollama", "http://ollama").replace("?key=SECRET", ""), {
    ...VARIABLES,
    OPENAI_BASE_URL: "https://openai.test/SECRET",
  });
  const shown = showConfig(config);
  assert.ok(Check(ShownConfiguration, shown));
  assert.deepEqual(shown, {
    file: config.file,
    server: {
      host: "0.0.0.0",
      port: 9000,
      manage_host: "10.0.0.1",
      manage_port: 9001,
      manage_url: "https://manage.test",
      public_url: "https://api.test",
      trusted_proxies: ["10.0.0.0/8"],
      log_level: "warn",
    },
    store: { engine: "postgres", path: null, address: "postgres://db.test:5433", root_secret: "set" },
    providers: [
      {
        name: "openai",
        type: "openai",
        host: null,
        base_url: "https://openai.test",
        api_keys: 1,
        headers: [],
        timeout_seconds: null,
      },
      {
        name: "ollama",
        type: "openai-compatible",
        host: null,
        base_url: "http://ollama.test:11434",
        api_keys: 2,
        headers: ["x-team", "x-other"],
        timeout_seconds: 9,
      },
    ],
    models: { configured: 1, built_in: true },
    proxies: { http: null, https: "http://proxy.test:3128" },
    extra_certificates: 0,
    single_sign_on: { issuer: "https://login.test", client_secret: true, rules: 1, only: false },
    content_export: null,
    limits: shown.limits,
    turn_log: { metadata_key: null },
    metrics: { by_organization: false },
    usd_per_credit: 0.5,
  });
  const { drain_seconds: drain, requests_per_minute: perMinute, turn_seconds: turn } = shown.limits;
  assert.deepEqual([drain, perMinute, turn], [7, { create: 11, retrieve: 120_000, delete: 60_000 }, 3600]);
  assert.ok(!JSON.stringify(shown).includes("SECRET"));
});

/** The strings that are shown as they are; what they are cannot be a secret. */
const SHOWN_AS_THEY_ARE = [
  /^file$/,
  /^host$/,
  /^manageHost$/,
  /^logLevel$/,
  // Addresses of the network, checked when they were read.
  /^trustedProxies\.\d+\.address$/,
  /^database\.engine$/,
  /^providers\.\d+\.name$/,
  /^providers\.\d+\.family\./,
];

test("no other text of a configuration is shown, whatever it contains", async () => {
  const config = await read(FILE.replace("http://SECRET:SECRET@ollama", "http://ollama").replace("?key=SECRET", ""), {
    ...VARIABLES,
    OPENAI_BASE_URL: "https://openai.test/SECRET",
  });
  const whole: Config = {
    ...config,
    bootstrapApiKey: { value: "sk_key", source: "TURNGATE_BOOTSTRAP_API_KEY", shown: "sk_key" },
    extraCertificates: ["-----BEGIN CERTIFICATE-----"],
    warnings: ["a warning"],
    proxies: { ...NO_PROXIES, exempt: "host.test" },
  };
  let planted = 0;
  const plant = (value: unknown, path: string): unknown => {
    if (typeof value === "string") {
      if (SHOWN_AS_THEY_ARE.some((pattern) => pattern.test(path))) return value;
      planted++;
      // As an address it has the secret everywhere but in its host.
      return "postgres://SECRET:SECRET@host.test/SECRET?password=SECRET#SECRET";
    }
    if (Array.isArray(value)) return value.map((each, at) => plant(each, `${path}.${at}`));
    if (typeof value !== "object" || value === null || value instanceof Set || value instanceof URL) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, plant(each, path === "" ? name : `${path}.${name}`)]),
    );
  };
  const proxies = { http: new URL("http://SECRET:SECRET@host.test/SECRET"), https: null, exempt: "SECRET" };
  const shown = JSON.stringify(showConfig({ ...(plant(whole, "") as Config), proxies }));
  assert.ok(planted > 12, `${planted} texts were planted`);
  assert.ok(!shown.includes("SECRET"), shown);
  assert.ok(shown.includes("//host.test"), shown);
});

test("the beginning of a password that is not encoded is not taken for the host", async () => {
  const location = "postgres://user:12/SECRET@db.test/turngate";
  const config = { ...(await read(null)), database: { engine: "postgres", location } as const };
  assert.equal(showConfig(config).store.address, "postgres://…");
  const broken = { ...config, database: { engine: "postgres", location: "postgres://user:SEC/RET@db.test" } as const };
  assert.equal(showConfig(broken).store.address, "//…");
});
