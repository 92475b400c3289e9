// turngate budgets, usage and ledger check.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { withDatabase } from "../store/raw-database.ts";
import { commandLineForFile } from "./command-line.ts";

const line = commandLineForFile();

let member = "";
let key = "";
before(async () => {
  await line.json("orgs", "create", "--name", "acme");
  const ada = ["--org", "acme", "--email", "ada@acme.test", "--role", "member"];
  member = (await line.json<{ id: string }>("members", "add", ...ada)).id;
  key = (await line.json<{ id: string }>("keys", "create", "--org", "acme", "--name", "web app")).id;
});

const set = (...words: readonly string[]) => line.json("budgets", "set", "--org", "acme", ...words);
const listed = async () => (await line.json<{ data: unknown[] }>("budgets", "list", "--org", "acme")).data;
const budget = (scope: string, id: string | null, period: string, limit: number) => ({
  scope,
  id,
  period,
  limit,
  spent: 0,
  held: 0,
  used_up_at: null,
  ceiling: limit,
  own_limit: null,
});

test("budgets are set, listed and cleared", async () => {
  assert.deepEqual(await set("--scope", "organization", "--limit", "12.000001"), {
    ...budget("organization", null, "total", 12.000001),
  });
  const daily = budget("organization-day", null, "day", 5);
  assert.deepEqual(await set("--scope", "organization-day", "--limit", "5"), daily);
  const ofAda = budget("member", member, "month", 3);
  assert.deepEqual(await set("--scope", "member", "--id", "ada@acme.test", "--period", "month", "--limit", "3"), ofAda);
  const ofKey = budget("key", key, "day", 0);
  assert.deepEqual(await set("--scope", "key", "--id", key, "--period", "day", "--limit", "0"), ofKey);
  const ofResponse = budget("response", null, "total", 0.5);
  assert.deepEqual(await set("--scope", "response", "--limit", "0.5"), ofResponse);
  const raised = budget("organization", null, "total", 20);
  assert.deepEqual(await set("--scope", "organization", "--limit", "20"), raised);

  assert.deepEqual(await listed(), [raised, daily, ofAda, ofKey, ofResponse]);
  const { stdout } = await line.run(["budgets", "list", "--org", "acme"]);
  assert.match(
    stdout,
    /^scope +id +period +limit +spent +held +used_up_at +ceiling +own_limit\norganization +- +total +20 +0 +0 +- +20 +-\n/,
  );

  assert.deepEqual(await line.json("budgets", "clear", "--org", "acme", "--scope", "organization"), raised);
  for (const words of [["organization-day"], ["response"], ["key", "--id", key, "--period", "day"]]) {
    await line.json("budgets", "clear", "--org", "acme", "--scope", ...words);
  }
  assert.deepEqual(await listed(), [ofAda]);
  await line.json("members", "remove", member, "--org", "acme");
  assert.deepEqual(await listed(), []);
});

test("what the holder of a key asks for is listed, granted with another amount, and declined", async () => {
  const { secret, id } = await line.json<{ id: string; secret: string }>(
    "keys",
    "create",
    "--org",
    "acme",
    "--name",
    "asking",
  );
  assert.match(secret, /^sk_/);
  await set("--scope", "key", "--id", id, "--period", "month", "--limit", "1");
  assert.deepEqual(await line.json("budgets", "increases", "--org", "acme"), { data: [] });
  const ask = (request: string, nano: number) =>
    withDatabase(join(line.folder, "data", "turngate.db"), (database) => {
      const [{ budgetId } = {}] = database.prepare("select id as budgetId from budgets where scope_id = ?").all(id);
      database
        .prepare("insert into budget_increases values (?, ?, ?, ?, 1000, null)")
        .run(request, Number(budgetId), id, BigInt(nano));
    });
  ask("inc_1", 5e9);
  const asked = { id: "inc_1", key: id, key_name: "asking", amount: 5, at: 1, until: null };
  const open = { ...asked, budget: { scope: "key", id, period: "month" } };
  assert.deepEqual(await line.json("budgets", "increases", "--org", "acme"), { data: [open] });
  const granted = await line.json("budgets", "grant", "inc_1", "--org", "acme", "--by", "4");
  assert.deepEqual(granted, { ...budget("key", id, "month", 5) });
  assert.match((await line.run(["budgets", "grant", "inc_1", "--org", "acme"])).stderr, /no increase inc_1/);
  ask("inc_2", 5e9);
  assert.deepEqual(await line.json("budgets", "decline", "inc_2", "--org", "acme"), { done: true });
  assert.deepEqual(await line.json("budgets", "increases", "--org", "acme"), { data: [] });
  await line.json("budgets", "clear", "--org", "acme", "--scope", "key", "--id", id, "--period", "month");
});

const REFUSED: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["no scope", ["--limit", "1"], /required option '--scope <scope>'/],
  ["no limit", ["--scope", "organization"], /required option '--limit <credits>'/],
  ["an unknown scope", ["--scope", "team", "--limit", "1"], /choices are organization, organization-day, member, key/],
  [
    "an unknown period",
    ["--scope", "organization", "--period", "week", "--limit", "1"],
    /choices are day, month, total/,
  ],
  ["a limit below nothing", ["--scope", "organization", "--limit", "-1"], /Allowed: a number from 0 to/],
  ["a limit too fine", ["--scope", "organization", "--limit", "0.0000001"], /at most six decimals/],
  ["no id", ["--scope", "key", "--limit", "1"], /scope key needs the id/],
  ["an id too many", ["--scope", "organization", "--id", "key_1", "--limit", "1"], /organization takes no id/],
  [
    "a period that contradicts",
    ["--scope", "organization-day", "--period", "month", "--limit", "1"],
    /always has the period day/,
  ],
  ["a period of a response", ["--scope", "response", "--period", "day", "--limit", "1"], /response takes no period/],
  ["an unknown member", ["--scope", "member", "--id", "bob@acme.test", "--limit", "1"], /no member bob@acme\.test/],
  ["an unknown key", ["--scope", "key", "--id", "key_1", "--limit", "1"], /no key key_1/],
];

for (const [what, words, expected] of REFUSED) {
  test(`a budget with ${what} is an error in one line`, async () => {
    const { code, stdout, stderr } = await line.run(["budgets", "set", "--org", "acme", ...words]);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^error: [^\n]+\n$/);
    assert.match(stderr, expected);
  });
}

test("clearing a missing budget and listing those of an unknown organization are errors", async () => {
  for (const words of [
    ["clear", "--org", "acme", "--scope", "organization"],
    ["list", "--org", "nobody"],
  ]) {
    const { code, stderr } = await line.run(["budgets", ...words]);
    assert.equal(code, 1);
    assert.match(stderr, /^error: [^\n]*no (budget organization total|organization "nobody")[^\n]*\n$/);
  }
});

test("without usage there is one row of zeros, and none with --by", async () => {
  const nothing = { input_tokens: 0, cached_tokens: 0, cache_write_tokens: 0, output_tokens: 0, reasoning_tokens: 0 };
  const used = [{ responses: 0, ...nothing, cached_share: null, credits: 0, saved: 0 }];
  const usage = async (...words: readonly string[]) => (await line.json<{ data: object[] }>("usage", ...words)).data;
  assert.deepEqual(await usage("--org", "acme"), used);
  const days = ["--from", "2026-01-01", "--to", "2026-01-31"];
  assert.deepEqual(await usage("--org", "acme", "--by", "model", ...days), []);
  assert.equal((await line.run(["usage", "--org", "acme", "--by", "day"])).stdout, "There is no usage.\n");
  assert.deepEqual(await usage(...days, "--zone", "Asia/Kolkata", "--member", "none"), used);
  assert.deepEqual(await usage(), used, "of all organizations");
  assert.deepEqual(await usage("--by", "organization,hour"), []);
  for (const [words, expected] of [
    [["--by", "day,hour"], /up to 2 of key, member, model and one of day, hour, month/],
    [["--from", "2026-02-30"], /a day as YYYY-MM-DD/],
    [["--zone", "Mars/Base"], /the name of a time zone/],
    [["--zone", "Europe/Berlin", "--to", "2026-02-01"], /from and to are needed with a zone, and by month/],
    [["--member", "nobody@acme.test"], /no member "nobody@acme.test"/],
    [["--from", "2026-02-02", "--to", "2026-02-01"], /from is later than to/],
  ] as const) {
    const { code, stderr } = await line.run(["usage", "--org", "acme", ...words]);
    assert.equal(code, 1);
    assert.match(stderr, expected);
  }
});

test("ledger check reports differences and exits non-zero", async () => {
  await line.json("credits", "add", "--org", "acme", "--amount", "2");
  await line.json("orgs", "create", "--name", "other");
  const agree = { differences_found: 0, differences: [] };
  const looked = { organizations: 2, transfers: 1, responses: 0, budget_periods: 0 };
  assert.deepEqual(await line.json("ledger", "check"), { ...looked, ...agree });
  assert.deepEqual(await line.json("ledger", "check", "--org", "other"), {
    ...looked,
    organizations: 1,
    transfers: 0,
    ...agree,
  });
  const { stdout } = await line.run(["ledger", "check"]);
  assert.equal(stdout, "The books agree. Organizations: 2, transfers: 1, responses: 0, budget periods: 0.\n");

  withDatabase(join(line.folder, "data", "turngate.db"), (database) =>
    database.exec(
      "update balances set credits_nano = credits_nano + 7, topups_nano = topups_nano + 7 where topups_nano > 0",
    ),
  );
  const { code, stdout: report, stderr } = await line.run(["ledger", "check", "--json"]);
  assert.equal(code, 1);
  assert.equal(stderr, "error: the books do not agree: differences: 2.\n");
  const { id } = await line.json<{ id: string }>("orgs", "show", "acme");
  const difference = { organization: id, of: null, recorded: "2000000007", expected: "2000000000" };
  assert.deepEqual(JSON.parse(report).differences, [
    { ...difference, compared: "balance.credits" },
    { ...difference, compared: "balance.topups" },
  ]);
  const table = await line.run(["ledger", "check"]);
  assert.match(
    table.stdout,
    /^organization +compared +of +recorded +expected\norg_\w+ +balance\.credits +- +2000000007/,
  );
  assert.equal((await line.run(["ledger", "check", "--org", "other"])).code, 0);
});

test("running responses are listed: none here", async () => {
  for (const words of [["running"], ["running", "--org", "acme"]])
    assert.deepEqual((await line.json<{ data: object[] }>(...words)).data, []);
  assert.match((await line.run(["running"])).stdout, /^No turn is running\.$/m);
});

test("a budget is raised until a time, and the raise is ended", async () => {
  const name = ["--org", "acme", "--scope", "organization", "--period", "month"];
  await line.json("budgets", "set", ...name, "--limit", "3");
  const until = new Date(Date.now() + 3_600_000).toISOString().replace(/:\d\d\.\d+Z$/, "Z");
  const raised = { ...budget("organization", null, "month", 3), raise: { amount: 2, until: Date.parse(until) / 1000 } };
  assert.deepEqual(await line.json("budgets", "raise", ...name, "--by", "2", "--until", until), raised);
  assert.deepEqual(await listed(), [raised]);
  const table = (await line.run(["budgets", "list", "--org", "acme"])).stdout;
  assert.match(table, /raise\.until/);
  assert.ok(table.includes(until.replace("Z", ":00.000Z")), "people read a date");
  const ended = await line.json("budgets", "raise", ...name, "--by", "0");
  assert.deepEqual(ended, budget("organization", null, "month", 3));
  for (const [words, expected] of [
    [["--by", "1"], /within the next 366 days/],
    [["--by", "1", "--until", "tomorrow"], /a day or a time, in UTC unless/],
    [["--by", "1", "--until", "2020-01-01T00:00Z"], /within the next 366 days/],
  ] as const) {
    const { code, stderr } = await line.run(["budgets", "raise", ...name, ...words]);
    assert.equal(code, 1);
    assert.match(stderr, expected);
  }
});
