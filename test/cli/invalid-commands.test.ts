// Invalid command lines and environments: one clear line, a non-zero exit, nothing done.
import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { commandLineForFile, openCommandLine } from "./command-line.ts";

const line = commandLineForFile();

const rejections: readonly (readonly [string, readonly string[], Readonly<Record<string, string>>, RegExp])[] = [
  [
    "an unknown command",
    ["keyz"],
    {},
    /^error: unknown command 'keyz' \(Did you mean keys\?\)\. See `turngate --help`\.$/,
  ],
  [
    "a missing option",
    ["orgs", "create"],
    {},
    /^error: required option '--name <name>' not specified\. See `turngate orgs create --help`\.$/,
  ],
  [
    "a misspelt option",
    ["orgs", "create", "--nmae", "x"],
    {},
    /^error: unknown option '--nmae'; required: '--name <name>'\. See `turngate orgs create --help`\.$/,
  ],
  [
    "a short key name",
    ["keys", "create", "--org", "x", "--name", "ab"],
    {},
    /Allowed: a string of 3 to 200 characters\. See `turngate keys create --help`\.$/,
  ],
  [
    "a member who is named twice",
    ["members", "remove", "ada@acme.test", "--email", "bob@acme.test", "--org", "x"],
    {},
    /^error: name the member once: as the argument, or with --member or --email\.$/,
  ],
  ["an amount of nothing", ["credits", "add", "--org", "x", "--amount", "0"], {}, /Allowed: a number above 0 to /],
  [
    "an unknown grace",
    ["keys", "rotate", "key_1", "--grace", "2h"],
    {},
    /Allowed choices are none, 1h, 24h, 7d\. See `turngate keys rotate --help`\.$/,
  ],
  [
    "a day that does not exist",
    ["turns", "list", "--org", "x", "--from", "2026-02-30"],
    {},
    /Allowed: a day or a time, in UTC unless [^.]*\. See `turngate turns list --help`\.$/,
  ],
  ...(
    [
      [["turns", "list", "--org", "x"], 200],
      [["events", "list"], 500],
      [["audit", "list"], 500],
      [["ledger", "list", "--org", "x"], 500],
      [["rejections", "list", "--org", "x"], 500],
    ] as const
  ).map(
    ([words, maximum]) =>
      [
        `a list of more ${words[0]} than there may be`,
        [...words, "--limit", String(maximum + 1)],
        {},
        new RegExp(`Allowed: a whole number from 1 to ${maximum}\\. See \`turngate ${words[0]} list --help\`\\.$`),
      ] as const,
  ),
  ["a wrong environment", ["serve"], { PORT: "many" }, /^error: PORT is "many"; allowed: a whole number from 0/],
  ["a short root secret", ["orgs", "list"], { TURNGATE_SECRET: "short" }, /^error: TURNGATE_SECRET has 5 characters/],
  [
    "a key with a line break",
    ["serve"],
    { OPENAI_API_KEY: "k\n" },
    /^error: OPENAI_API_KEY contains characters that no/,
  ],
  ["a missing export", ["verify", "none"], {}, /^error: none can't be read \(no such file or directory\)\.$/],
  [
    "a missing LiteLLM file",
    ["config", "import", "none"],
    {},
    /^error: none can't be read \(no such file or directory\)\.$/,
  ],
  ["a folder without a store", ["orgs", "list"], {}, /^error: there is no database \/.*\/data\/turngate\.db yet: /],
  [
    "a folder of the root secret that can't be created",
    ["serve"],
    { DATABASE_URL: "sqlite:/proc/turngate/data/turngate.db" },
    /^error: the root secret \/proc\/turngate\/data\/secret can't be read or created: .*mkdir '\/proc\/turngate'$/,
  ],
  [
    "a folder of the database that can't be created",
    ["migrate"],
    {
      DATABASE_URL: "sqlite:/proc/turngate/data/turngate.db",
      TURNGATE_SECRET: "a root secret for tests, long enough",
    },
    /^error: The database \/proc\/turngate\/data\/turngate\.db cannot be opened: .*mkdir '\/proc\/turngate'\.$/,
  ],
  [
    "a PostgreSQL that is not there",
    ["migrate"],
    { DATABASE_URL: "postgres://u:secret@127.0.0.1:1/d" },
    /^error: The database postgres:\/\/127\.0\.0\.1:1\/d cannot be opened: PostgreSQL is unreachable/,
  ],
];

for (const [name, words, variables, expected] of rejections) {
  test(`${name} is an error in one line`, async () => {
    const { code, stdout, stderr } = await line.run(words, variables);
    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.equal(stderr.split("\n").length, 2, stderr);
    assert.match(stderr.trimEnd(), expected);
    assert.deepEqual(readdirSync(line.folder), []);
  });
}

test("a price that is too high stops a first start before it creates anything", async () => {
  const own = openCommandLine();
  after(() => own.remove());
  writeFileSync(
    join(own.folder, "turngate.yaml"),
    "models: [{id: simulated/x, prices: {input: 9}}]\ncredits: {usd_per_credit: 0.000001}\n",
  );
  const { code, stderr } = await own.run(["serve"]);
  assert.equal(code, 1);
  assert.match(stderr, /^error: The price of simulated\/x is too high: .*\n$/);
  assert.deepEqual(readdirSync(own.folder), ["turngate.yaml"]);
});

test("a root secret of another database is an error in one line", async () => {
  const own = openCommandLine();
  after(() => own.remove());
  assert.equal((await own.run(["orgs", "create", "--name", "acme"])).code, 0);
  const variables = { TURNGATE_SECRET: "another secret of thirty-two characters" };
  const { code, stderr } = await own.run(["orgs", "list"], variables);
  assert.equal(code, 1);
  assert.match(stderr, /^error: TURNGATE_SECRET is not the root secret that the keys of .* were created with, .*\n$/);
  assert.equal((await own.run(["orgs", "list"])).code, 0);
});
