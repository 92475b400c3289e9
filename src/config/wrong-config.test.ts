// Wrong variables and wrong files. Wrong providers and models: wrong-entries.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Variables } from "../../packages/kit/variables.ts";
import { readWrong, testWrongFiles } from "../../test/support/config.ts";

const wrongVariables: readonly (readonly [Variables, RegExp])[] = [
  [{ PORT: "80a" }, /^PORT is "80a"; allowed: a whole number from 0 .* to 65535/],
  [{ PORT: "65536" }, /^PORT/],
  [{ MANAGE_PORT: "-1" }, /^MANAGE_PORT/],
  [{ MANAGE_URL: "https://host/path" }, /^MANAGE_URL .* allowed: an origin/],
  [{ MANAGE_URL: "https://host:99999" }, /^MANAGE_URL .* allowed: an origin/],
  [{ PUBLIC_URL: "https://host/gateway/v1" }, /^PUBLIC_URL is .* allowed: the address of \/v1/],
  [{ PUBLIC_URL: "ftp://host" }, /^PUBLIC_URL is .* allowed/],
  [{ PUBLIC_URL: "https://u:secret@host/v1" }, /^PUBLIC_URL is "https:\/\/…@host\/v1"; allowed/],
  [{ DATABASE_URL: "mysql://x" }, /^DATABASE_URL is "mysql:\/\/x"; allowed: sqlite:PATH/],
  [{ TURNGATE_SECRET: "short" }, /^TURNGATE_SECRET has 5 characters; allowed: any string of 32 or more/],
  [{ TURNGATE_BOOTSTRAP_API_KEY: "sk_test" }, /^TURNGATE_BOOTSTRAP_API_KEY is not an API key/],
  [
    { HTTPS_PROXY: "socks5://host" },
    /^HTTPS_PROXY is "socks5:\/\/host"; allowed: an http:\/\/ or https:\/\/ address.$/,
  ],
  [{ http_proxy: "ftp://u:secret@host" }, /^HTTP_PROXY is "ftp:\/\/…@host"; allowed/],
  [{ HTTP_PROXY: "u:secret%@host:1" }, /^HTTP_PROXY is "http:\/\/…@host:1"; allowed/],
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
  [{ GEMINI_API_KEY: "secret\n" }, /^GEMINI_API_KEY contains characters that no header can contain/],
  [{ OPENAI_API_KEY: "k", OPENAI_BASE_URL: "nowhere" }, /^OPENAI_BASE_URL is "nowhere"/],
  [{ OPENAI_API_KEY: "k", OPENAI_BASE_URL: "ftp://host/" }, /^OPENAI_BASE_URL is "ftp:\/\/host\/"; allowed: an http/],
  [{ TURNGATE_CONFIG: "/nonexistent.yaml" }, /\/nonexistent.yaml can't be read \(no such file or directory\)/],
];
for (const [variables, expected] of wrongVariables) {
  test(`the environment ${JSON.stringify(variables)} is an error that names the variable`, async () => {
    const message = await readWrong(null, variables);
    assert.match(message, expected);
    assert.ok(!message.includes("secret"));
  });
}

testWrongFiles([
  ["invalid YAML", "server:\n  host: [", /^FILE:2: invalid YAML/],
  ["a list at the top", "- a\n", /^FILE:1: the file is a list; allowed: server, store, providers, .*, credits.$/],
  ["a string at the top", "hello\n", /^FILE:1: the file is "hello"; allowed: server, store, /],
  [
    "two documents",
    "server: {}\n---\nserver: {}\n",
    /^FILE:2: the file contains more than one document; allowed: one, without a --- line inside.$/,
  ],
  ["text in UTF-16", Buffer.from("\ufeffserver: {}\n", "utf16le"), /^FILE:1: the file must be UTF-8 text.$/],
  [
    "UTF-16 without a byte order mark",
    Buffer.from("server: {}\n", "utf16le"),
    /^FILE:1: the file must be UTF-8 text.$/,
  ],
  ["a letter in Latin-1", Buffer.from("\nserver: {host: é}\n", "latin1"), /^FILE:2: the file must be UTF-8/],
  [
    "the key __proto__",
    "server: {}\n__proto__: 1\n",
    /^FILE:2: there is no key "__proto__" in the file; allowed: server, store, /,
  ],
  [
    "the name of a method as a key",
    "server:\n  toString: 1\n",
    /^FILE:2: there is no key "toString" in server; allowed: host, /,
  ],
  ["a repeated key", "limits: {}\nlimits: {}\n", /^FILE:2: invalid YAML/],
  [
    "an unknown section",
    "server: {}\nserver2: {}\n",
    /^FILE:2: there is no key "server2" in the file; allowed: server, store, providers, catalog, models, aliases, single_sign_on, outgoing, content_export, limits, turn_log, metrics, credits/,
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
    "a string for a number",
    "limits:\n  concurrent_turns: many\n",
    /^FILE:2: limits.concurrent_turns is "many"; allowed: a whole number, 1 or more/,
  ],
  [
    "a word for true or false",
    "metrics:\n  by_organization: busiest\n",
    /^FILE:2: metrics.by_organization is "busiest"; allowed: true or false/,
  ],
  [
    "a retention of no day",
    "limits:\n  retention_days: 0\n",
    /^FILE:2: limits.retention_days is 0; allowed: a whole number of days from 1 to 36525, or null for ever/,
  ],
  [
    "a retention shorter than an idempotency key's",
    "limits:\n  idempotency_retention_hours: 49\n  retention_days: 2\n",
    /^FILE:3: limits.retention_days is 2; allowed: at least idempotency_retention_hours \(49\), since /,
  ],
  [
    "a number out of range",
    "\n\nlimits:\n  requests_per_minute:\n    create: 0\n",
    /^FILE:5: limits.requests_per_minute.create is 0; allowed: a whole number, 1 or more/,
  ],
  [
    "a connection too many for any server",
    "store:\n  postgres:\n    connections: 1001\n",
    /^FILE:3: store.postgres.connections is 1001; allowed: a whole number, 1 or more, at most 1000: connections for requests/,
  ],
  [
    "a timeout of nothing",
    "store:\n  postgres: { statement_timeout_seconds: 0 }\n",
    /^FILE:2: store.postgres.statement_timeout_seconds is 0; allowed: a number of seconds, 0.1 or more, at most 3600/,
  ],
  ["an empty value", "server:\n  port:\n", /^FILE:2: server.port is empty; allowed: a whole number/],
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
    "several variables without a value, in one error",
    "providers:\n  x: { type: openai, api_key: ${NO_SUCH} }\n  y: { type: openai, api_key: ${NO_SUCH} }\nserver:\n  host: ${EMPTY}\n  public_url: ${NONE}\n",
    /^FILE:2: \$\{NO_SUCH\} is not in the environment; set the variable or write the value here\. The same holds for \$\{EMPTY\} \(line 5, empty\), \$\{NONE\} \(line 6\)\.$/,
  ],
  [
    "an unknown variable within braces",
    "providers:\n  x: {type: openai,\n    api_key: ${NO_SUCH}}\n",
    /^FILE:3: \$\{NO_SUCH\} is not in the environment/,
  ],
  [
    "a mapping for a number",
    "limits:\n  concurrent_turns:\n    many: 1\n",
    /^FILE:2: limits.concurrent_turns is a group of keys; allowed: a whole number/,
  ],
  [
    "an unknown key with keys below it",
    "server:\n  hots:\n    a: 1\n",
    /^FILE:2: there is no key "hots" in server; allowed: host,/,
  ],
  ["an unknown key of a variable's name", "server:\n  ${A}: 1\n", /^FILE:2: there is no key "\$\{A\}" in server/],
  [
    "a repeated key that holds a variable",
    "server: {'${A}': 1,\n '${A}': 2}\n",
    /^FILE:2: invalid YAML: [^\ufdd0-\ufdd2]*$/,
  ],
  [
    "an infinite number",
    "limits:\n  queued_turns: 1e999\n",
    /^FILE:2: limits.queued_turns is Infinity; allowed: a whole number, 0 or more, at most 1000000000/,
  ],
  [
    "a missing file of certificates",
    "outgoing:\n  ca_file: /nonexistent.pem\n",
    /^FILE:2: outgoing.ca_file, \/nonexistent.pem, can't be read \(no such file or directory\).$/,
  ],
  [
    "a file without certificates",
    "outgoing:\n  ca_file: package.json\n",
    /^FILE:2: outgoing.ca_file, package.json, contains no certificate \(PEM\).$/,
  ],
  ["a wrong origin", "server:\n  manage_url: https://h:99999\n", /^FILE:2: server.manage_url is "https:\/\/h:99999"/],
  [
    "a range that is none",
    "server:\n  trusted_proxies:\n    - 10.0.0.0/8\n    - 10.0.0.0/33\n",
    /^FILE:4: server.trusted_proxies\[1\] is "10.0.0.0\/33"; allowed: an address such as 10.0.0.1, or a range/,
  ],
  [
    "a name for a proxy",
    "server: {trusted_proxies: [proxy.test]}\n",
    /^FILE:1: server.trusted_proxies\[0\] is "proxy.test"/,
  ],
  ["an alias of nothing", "server:\n  host: *nowhere\n", /^FILE:2: the alias "nowhere" has no anchor before it/],
  [
    "aliases that expand without bound",
    `a: &a [${"x,".repeat(99)}]\nb: &b [${"*a,".repeat(99)}]\nc: [${"*b,".repeat(99)}]\n`,
    /^FILE:3: there are too many nested aliases.$/,
  ],
  ["an alias within its own anchor", "server: &a\n  host: *a\n", /^FILE:2: the alias "a" is inside its own anchor.$/],
  ["an unknown tag", "server:\n  host: !env HOST\n", /^FILE:2: invalid YAML: Unresolved tag: !env/],
  ["a wrong catalog", "catalog: mine\n", /^FILE:1: catalog is "mine"; allowed: built-in or none/],
  [
    "a wrong database",
    "store:\n  database_url: mysql://h/d\n",
    /^FILE:2: store.database_url is "mysql:\/\/h\/d"; allowed: sqlite:PATH/,
  ],
]);
