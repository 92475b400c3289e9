import assert from "node:assert/strict";
import { test } from "node:test";
import { buildCatalog } from "../config/catalog.ts";
import { read } from "../../test/support/config.ts";
import type { Variables } from "../../packages/kit/variables.ts";
import { inForce, listForRestart, listReloaded } from "./configuration-changes.ts";

const BASE = `
server: {host: 0.0.0.0}
providers:
  main: {type: openai, api_key: one, headers: {X-Team: a}}
  other: {type: openai-compatible, base_url: "http://h/v1"}
models: [{id: main/a, prices: {input: 1, output: 2}}, {id: other/b}]
catalog: none
`;

async function compare(before: string, after: string, variables: Variables = {}) {
  const load = async (source: string, more: Variables = {}) => {
    const config = await read(source, more);
    return { config, catalog: await buildCatalog(config) };
  };
  const [was, is] = [await load(before), await load(after, variables)];
  return { reloaded: listReloaded(was, is), restart: listForRestart(was.config, is.config) };
}

test("the same configuration, read again, has no differences", async () => {
  assert.deepEqual(await compare(BASE, `# a comment\n${BASE}`), { reloaded: [], restart: [] });
});

const cases: readonly (readonly [
  string,
  (base: string) => string,
  { reloaded?: string[]; restart?: string[] },
  Variables?,
])[] = [
  ["another key", (base) => base.replace("one", "two"), { reloaded: ["providers.main"] }],
  ["another header", (base) => base.replace("X-Team: a", "X-Team: b"), { reloaded: ["providers.main"] }],
  ["another price", (base) => base.replace("input: 1", "input: 3"), { reloaded: ["models.main/a"] }],
  [
    "a tier",
    (base) => base.replace("output: 2", "tiers: [{above_input_tokens: 9, input: 2}]"),
    { reloaded: ["models.main/a"] },
  ],
  [
    "another set of settings",
    (base) => base.replace("id: other/b", "id: other/b, group: [top_p]"),
    { reloaded: ["models.other/b"] },
  ],
  [
    "a provider and its model gone",
    (base) => base.replace(/  other.*\n/, "").replace(", {id: other/b}", ""),
    { reloaded: ["providers.other", "models.other/b"] },
  ],
  [
    "a new model",
    (base) => base.replace("{id: other/b}", "{id: other/b}, {id: other/c}"),
    { reloaded: ["models.other/c"] },
  ],
  [
    "another value of a credit",
    (base) => `${base}credits: {usd_per_credit: 1}\n`,
    { reloaded: ["credits.usd_per_credit"] },
  ],
  ["another proxy", (base) => base, { reloaded: ["HTTPS_PROXY"] }, { HTTPS_PROXY: "http://proxy:1" }],
  [
    "where it listens",
    (base) => base.replace("0.0.0.0", "::1, port: 1, manage_host: ::1, manage_port: 2, manage_url: 'http://m'"),
    { restart: ["server.host", "server.port", "server.manage_host", "server.manage_port", "server.manage_url"] },
  ],
  [
    "another address for clients",
    (base) => base.replace("0.0.0.0", "0.0.0.0, public_url: 'http://api'"),
    { restart: ["server.public_url"] },
  ],
  [
    "another proxy in front of it",
    (base) => base.replace("0.0.0.0", "0.0.0.0, trusted_proxies: [10.0.0.1]"),
    { restart: ["server.trusted_proxies"] },
  ],
  ["another database", (base) => `${base}store: {database_url: "sqlite:x.db"}\n`, { restart: ["store.database_url"] }],
  [
    "limits, each by its name",
    (base) => `${base}limits: {turn_seconds: 9, requests_per_minute: {create: 5}}\n`,
    { restart: ["limits.turn_seconds", "limits.requests_per_minute"] },
  ],
  ["another root secret", (base) => base, { restart: ["TURNGATE_SECRET"] }, { TURNGATE_SECRET: "x".repeat(32) }],
  ["another log level", (base) => base, { restart: ["LOG_LEVEL"] }, { LOG_LEVEL: "debug" }],
];
for (const [name, change, { reloaded = [], restart = [] }, variables] of cases) {
  test(`${name} is named where it belongs`, async () => {
    const found = await compare(BASE, change(BASE), variables);
    assert.deepEqual([found.reloaded, found.restart.toSorted()], [reloaded, restart.toSorted()]);
  });
}

const SIGN_ON = (issuer: string, group: string) =>
  `${BASE}single_sign_on: {issuer: "https://${issuer}", client_id: x, rules: [{role: operator, group: ${group}}]}\n`;

test("the rules of single sign-on are taken by a reload, unless more of it has changed", async () => {
  const was = SIGN_ON("a.test", "one");
  assert.deepEqual(await compare(was, SIGN_ON("a.test", "two")), { reloaded: ["single_sign_on.rules"], restart: [] });
  assert.deepEqual(await compare(was, SIGN_ON("b.test", "two")), { reloaded: [], restart: ["single_sign_on"] });
  assert.deepEqual(await compare(was, BASE), { reloaded: [], restart: ["single_sign_on"] });
  // One after the other: all are read from the same file.
  const first = await read(was);
  const second = await read(SIGN_ON("a.test", "two"));
  const other = await read(SIGN_ON("b.test", "three"));
  const without = await read(BASE);
  const taken = inForce(first, second);
  assert.deepEqual(taken.singleSignOn, second.singleSignOn);
  // What waits for a restart does not bring former rules back.
  assert.deepEqual(inForce(taken, other).singleSignOn, second.singleSignOn);
  assert.deepEqual(inForce(taken, without).singleSignOn, second.singleSignOn);
});

test("after a reload, what only a start reads is as it was, and the rest is new", async () => {
  const before = await read(`${BASE}limits: {drain_seconds: 1}\n`);
  const after = await read(`${BASE}limits: {drain_seconds: 2}\ncredits: {usd_per_credit: 0.5}\n`);
  assert.deepEqual(inForce(before, after), { ...after, limits: before.limits });
});
