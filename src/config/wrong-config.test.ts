import assert from "node:assert/strict";
import { test } from "node:test";
import { FAMILIES } from "../providers/families.ts";
import type { Variables } from "./variables.ts";
import { readWrong } from "../../test/support/config.ts";

const wrongVariables: readonly (readonly [Variables, RegExp])[] = [
  [{ PORT: "80a" }, /^PORT is "80a"; allowed: a whole number from 0 .* to 65535/],
  [{ PORT: "65536" }, /^PORT/],
  [{ MANAGE_PORT: "-1" }, /^MANAGE_PORT/],
  [{ MANAGE_URL: "https://host/path" }, /^MANAGE_URL .* allowed: an origin/],
  [{ MANAGE_URL: "https://host:99999" }, /^MANAGE_URL .* allowed: an origin/],
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

const wrongFiles: readonly (readonly [string, string | Buffer, RegExp])[] = [
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
    /^FILE:2: there is no key "server2" in the file; allowed: server, store, providers, catalog, models, single_sign_on, outgoing, content_export, limits, turn_log, credits/,
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
    "a wrong provider type",
    "providers:\n  x:\n    type: cohere\n",
    new RegExp(
      `^FILE:3: providers.x.type is "cohere"; allowed: one of ${FAMILIES.map(({ type }) => type).join(", ")}\\.$`,
    ),
  ],
  [
    "an unknown setting in a list",
    "models:\n  - id: simulated/x\n    group:\n      - temperature\n      - colour\n",
    /^FILE:5: models\[0\].group\[1\] is "colour"; allowed: A, B, C, or a list of accepted settings out of /,
  ],
  ["a provider without type", "providers:\n  x:\n    base_url: http://x\n", /^FILE:2: providers.x lacks type/],
  [
    "a wrong provider name",
    "providers:\n  'X y':\n    type: simulated\n",
    /^FILE:2: there is no key "X y" in providers; allowed: .* lower-case letters/,
  ],
  ["a provider without its key", "providers:\n  a:\n    type: anthropic\n", /^FILE:2: providers.a lacks api_key/],
  [
    "a compatible provider without address",
    "providers:\n  o:\n    type: openai-compatible\n",
    /^FILE:2: providers.o lacks base_url/,
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
    "a model without slash",
    "models:\n  - id: gpt\n",
    /^FILE:2: models\[0\].id is "gpt"; allowed: a string of the form <provider>\/<model>/,
  ],
  [
    "a model of an unknown provider",
    "models:\n  - id: acme/x\n",
    /^FILE:2: models\[0\].id names the provider "acme", which is not configured; allowed: simulated/,
  ],
  [
    "a repeated model",
    "models:\n  - id: simulated/x\n  - id: simulated/x\n",
    /^FILE:3: models\[1\].id is "simulated\/x", which is already in the list/,
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
    "a group that the provider's type can't send",
    "providers: {a: {type: anthropic, api_key: k}}\nmodels:\n  - id: a/b\n    group: B\n",
    /^FILE:4: models\[0\].group contains temperature; allowed: A, or a list out of parallel_tool_calls, text.format, since providers of type anthropic take no other setting.$/,
  ],
  [
    "a setting that the provider's type can't send",
    "providers: {g: {type: gemini, api_key: k}}\nmodels:\n  - id: g/c\n    group: [top_p, text.verbosity]\n",
    /^FILE:4: models\[0\].group contains text.verbosity; allowed: B, or a list out of temperature, .* type gemini take/,
  ],
  [
    "a group that the type can't send, where two others fit",
    "providers: {o: {type: openai, api_key: k}}\nmodels:\n  - id: o/b\n    group: B\n",
    /^FILE:4: models\[0\].group contains temperature; allowed: A, C, or a list out of /,
  ],
  [
    "a thinking budget for OpenAI",
    "providers: {o: {type: openai, api_key: k}}\nmodels:\n  - id: o/b\n    thinking: 2000\n",
    /^FILE:4: models\[0\].thinking is 2000; allowed: none or an effort \(low, .*\), since providers of type openai take no budget.$/,
  ],
  [
    "a thinking budget for chat completions",
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
    "a repeated price tier",
    "models:\n  - id: simulated/x\n    prices:\n      tiers:\n        - above_input_tokens: 5\n        - above_input_tokens: 5\n",
    /^FILE:6: models\[0\].prices.tiers\[1\].above_input_tokens is 5, which is already in the list/,
  ],
  [
    "an infinite number",
    "limits:\n  queued_turns: 1e999\n",
    /^FILE:2: limits.queued_turns is Infinity; allowed: a whole number, 0 or more, at most 1000000000/,
  ],
  [
    "an invalid base URL",
    "providers:\n  o:\n    type: openai-compatible\n    base_url: http://host:99999\n",
    /^FILE:4: providers.o.base_url must be an http or https address/,
  ],
  [
    "a password in a base URL",
    "providers:\n  o:\n    type: openai-compatible\n    base_url: http://u:pass@host\n",
    /^FILE:4: providers.o.base_url must contain no user or password: use api_key.$/,
  ],
  [
    "a key with a line break",
    'providers:\n  a:\n    type: anthropic\n    api_key: "k\\n"\n',
    /^FILE:4: providers.a.api_key contains characters that no header can contain.$/,
  ],
  [
    "one of two keys with a line break",
    'providers:\n  a:\n    type: anthropic\n    api_keys:\n      - k\n      - "CANARY\\n"\n',
    /^FILE:6: providers.a.api_keys\[1\] contains characters that no header can contain.$/,
  ],
  [
    "api_key together with api_keys",
    "providers:\n  a:\n    type: anthropic\n    api_key: k\n    api_keys: [l]\n",
    /^FILE:5: providers.a.api_keys is set together with api_key; set only one of them.$/,
  ],
  [
    "the same key twice",
    "providers:\n  a:\n    type: anthropic\n    api_keys: [CANARY, CANARY]\n",
    /^FILE:4: providers.a.api_keys has a value that is not allowed; allowed: a list of different keys/,
  ],
  [
    "a header that the service sets",
    "providers:\n  a:\n    type: anthropic\n    api_key: k\n    headers: {\n      Host: h}\n",
    /^FILE:6: providers.a.headers.Host is set by the service.$/,
  ],
  [
    "a header that is not a string",
    "providers:\n  a:\n    type: anthropic\n    api_key: k\n    headers: {x: 12345}\n",
    /^FILE:5: providers.a.headers.x has a value that is not allowed; allowed: a string, the value of the header.$/,
  ],
  [
    "a wrong timeout",
    "providers:\n  a:\n    type: anthropic\n    api_key: k\n    timeout_seconds: 0\n",
    /^FILE:5: providers.a.timeout_seconds is 0; allowed: a number of seconds above 0/,
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
];
for (const [name, source, expected] of wrongFiles) {
  test(`a file with ${name} is an error with its line`, async () =>
    assert.match(await readWrong(source, { EMPTY: "" }), expected));
}
