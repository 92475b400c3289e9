// The usage of a month in lines, over the management interface. docs/usage-export.md
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Check } from "typebox/value";
import type { Loose } from "../support/http-client.ts";
import { testModel } from "../support/service-config.ts";
import { runSql } from "../support/tables.ts";
import { type Identity, ManagedService } from "./managed-service.ts";
import { replyShape } from "./reply-shape.ts";

const MODELS = [
  testModel("test/all"),
  testModel("test/priced", { prices: { input: 5, cached_input: 0.5, cache_write: 6.25, output: 25 } }),
];
const BERLIN = "zone=Europe/Berlin";

let managed: ManagedService;
let organizationId: string;
let member: Identity;
let memberId: string;
/** Keys of a member, of nobody, and of another organization. */
let mine: string;
let nobodys: string;
let foreign: string;

before(async () => {
  managed = await ManagedService.start({ metadataKey: "team", models: MODELS });
  ({ organizationId } = await managed.service.newOrganization());
  const person = await managed.newMember(organizationId, "member", "ada@acme.test");
  memberId = person.id;
  const newKey = async (body: object) => {
    const path = `/organizations/${organizationId}/keys`;
    return String((await managed.ask(managed.operator, "POST", path, { body })).json.secret);
  };
  mine = await newKey({ name: "of Ada", member: person.id });
  nobodys = await newKey({ name: "of nobody" });
  foreign = (await managed.service.newKey((await managed.service.newOrganization()).organizationId)).secret;
  // Clocks in Berlin are changed on 2027-03-28.
  for (const [at, key, model, team] of [
    ["2027-02-28T22:59:59Z", nobodys, "test/all", null],
    ["2027-02-28T23:00:00Z", nobodys, "test/priced", "a"],
    ["2027-03-27T22:59:59Z", mine, "test/priced", "a"],
    ["2027-03-27T23:00:00Z", mine, "test/priced", "b"],
    ["2027-03-28T00:59:59Z", mine, "test/priced", "b"],
    ["2027-03-28T01:00:00Z", mine, "test/priced", null],
    ["2027-03-28T21:59:59Z", nobodys, "test/priced", null],
    ["2027-03-28T22:00:00Z", nobodys, "test/all", null],
    ["2027-03-31T21:59:59Z", foreign, "test/priced", "a"],
    ["2027-03-31T22:00:00Z", nobodys, "test/priced", "a"],
  ] as const) {
    const { clock } = managed.service;
    await clock.advance(Date.parse(at) - clock.nowMs());
    const metadata = team === null ? {} : { team };
    assert.equal((await managed.service.create({ model, input: "Hi", metadata }, { key })).status, 200);
  }
  member = await managed.signedIn(person);
});
after(() => managed.close());

const ofOne = (query: string) => `/organizations/${organizationId}/usage-lines?${query}`;

/** The replies of all pages. */
async function readPages(who: Identity, path: string): Promise<readonly Loose[]> {
  const pages: Loose[] = [];
  for (let next: string | null = ""; next !== null; ) {
    const { status, json } = await managed.ask(who, "GET", `${path}${next === "" ? "" : `&after=${next}`}`);
    assert.equal(status, 200, JSON.stringify(json));
    assert.ok(Check(replyShape("readUsageLines"), json as unknown), JSON.stringify(json));
    assert.equal(json.has_more, json.next !== null);
    pages.push(json);
    next = json.next;
  }
  return pages;
}

async function readLines(who: Identity, path: string): Promise<readonly Loose[]> {
  return (await readPages(who, path)).flatMap(({ data }) => data);
}

const summarize = ({ day, name, member: owner, model, label, responses }: Loose) => [
  day,
  name,
  owner,
  model,
  label,
  responses,
];

test("a month and its days are those of the zone, also when clocks are changed", async () => {
  const pages = await readPages(managed.operator, ofOne(`month=2027-03&${BERLIN}`));
  assert.equal(pages.length, 31);
  for (const { from, to } of pages) {
    assert.deepEqual([from, to], [Date.parse("2027-02-28T23:00Z") / 1000, Date.parse("2027-03-31T22:00Z") / 1000]);
  }
  const lines = pages.flatMap(({ data }) => data);
  assert.deepEqual(
    lines.map(summarize).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    [
      ["2027-03-01", "of nobody", null, "test/priced", "team=a", 1],
      ["2027-03-27", "of Ada", memberId, "test/priced", "team=a", 1],
      ["2027-03-28", "of Ada", memberId, "test/priced", "team=b", 2],
      ["2027-03-28", "of Ada", memberId, "test/priced", null, 1],
      ["2027-03-28", "of nobody", null, "test/priced", null, 1],
      ["2027-03-29", "of nobody", null, "test/all", null, 1],
    ],
  );
  const changed = lines.find(({ day }) => day === "2027-03-28");
  assert.deepEqual(
    [changed.from, changed.to, changed.to - changed.from],
    [Date.parse("2027-03-27T23:00Z") / 1000, Date.parse("2027-03-28T22:00Z") / 1000, 23 * 3600],
  );
  const inUtc = await readLines(managed.operator, ofOne("month=2027-03"));
  assert.equal(
    inUtc.reduce((sum, { responses }) => sum + responses, 0),
    7,
  );
});

test("the lines add up to the usage of the month, exactly, of one organization and of all", assertAddUp);

test("pages of any size have the same lines, in the same order", async () => {
  const all = await readLines(managed.operator, `/usage-lines?month=2027-03&${BERLIN}`);
  assert.equal(all.length, 7);
  for (const limit of [1, 2, 3]) {
    const path = `/usage-lines?month=2027-03&${BERLIN}&limit=${limit}`;
    assert.deepEqual(await readLines(managed.operator, path), all, `${limit}`);
  }
});

test("members see the lines of their own keys, and programs with that role none", async () => {
  const lines = await readLines(member, ofOne("month=2027-03"));
  assert.deepEqual(new Set(lines.map(({ email }) => email)), new Set(["ada@acme.test"]));
  assert.equal(
    lines.reduce((sum, { responses }) => sum + responses, 0),
    4,
  );
  const program = await managed.newProgram(organizationId, "member");
  assert.deepEqual(await readLines(program, ofOne("month=2027-03")), []);
});

test("what is no month, no zone and no page is a 400", async () => {
  const other = (await managed.ask(managed.operator, "GET", ofOne("month=2027-04"))).json.next;
  const place = (value: unknown) => `2027-03-05.${Buffer.from(JSON.stringify(value)).toString("base64url")}`;
  for (const [query, param] of [
    ["zone=UTC", "month"],
    ["month=2027-3", "month"],
    ["month=2027-13", "month"],
    ["month=1969-12", "month"],
    ["month=2027-03&zone=Mars", "zone"],
    [`month=2027-03&after=${other}`, "after"],
    ["month=2027-03&after=2027-03-32", "after"],
    ["month=2027-03&after=2027-03-05.bm8", "after"],
    [`month=2027-03&after=${place(["org", "key", null, "model"])}`, "after"],
    [`month=2027-03&after=${place(["org", "key", null, 5, null])}`, "after"],
    [`month=2027-03&after=${place(["org\0", "key", null, "model", null])}`, "after"],
    ["month=2027-03&limit=0", "limit"],
    ["month=2027-03&limit=5001", "limit"],
  ] as const) {
    const { status, json } = await managed.ask(managed.operator, "GET", ofOne(query));
    assert.deepEqual([status, json.error?.param], [400, param], query);
  }
});

test("they add up also after labelled turns ended whose savings were not stored: these are in the line without a label", async () => {
  const ofLabel = async (label: string | null) => {
    const lines = await readLines(managed.operator, ofOne(`month=2027-03&${BERLIN}`));
    return lines.filter((line) => line.label === label && line.day === "2027-03-27");
  };
  const [stored] = await ofLabel("team=a");
  assert.equal(stored?.saved, "0.0009");
  assert.deepEqual(await ofLabel(null), []);
  await runSql(managed.service, "update responses set saved_nano = null");
  const [labelled] = await ofLabel("team=a");
  const [rest] = await ofLabel(null);
  assert.deepEqual([labelled?.saved, labelled?.responses], ["0", 1]);
  assert.deepEqual([rest?.saved, rest?.credits, rest?.responses], ["0.0009", "0", 0]);
  await assertAddUp();
});

async function assertAddUp(): Promise<void> {
  for (const zone of ["UTC", "Europe/Berlin", "Asia/Kolkata"]) {
    for (const [lines, usage] of [
      [ofOne(`month=2027-03&zone=${zone}`), `/organizations/${organizationId}/usage`],
      [`/usage-lines?month=2027-03&zone=${zone}`, "/usage"],
    ] as const) {
      const found = await readLines(managed.operator, lines);
      const days = `from=2027-03-01&to=2027-03-31&zone=${zone}`;
      const [total] = (await managed.ask(managed.operator, "GET", `${usage}?${days}`)).json.data;
      for (const figure of [
        "responses",
        "input_tokens",
        "cached_tokens",
        "cache_write_tokens",
        "output_tokens",
        "reasoning_tokens",
      ]) {
        assert.equal(
          found.reduce((sum, line) => sum + line[figure], 0),
          total[figure],
          `${usage} ${figure}`,
        );
      }
      const credits = found.reduce((sum, line) => sum + nano(line.credits), 0n);
      assert.equal(credits, nano(String(total.credits)), usage);
      const saved = found.reduce((sum, line) => sum + nano(line.saved), 0n);
      assert.equal(saved, nano(String(total.saved)), usage);
      assert.ok(saved > 0n);
      // A credit is worth a cent.
      assert.deepEqual(
        found.map(({ usd }) => nano(usd) * 100n),
        found.map((line) => nano(line.credits)),
      );
      assert.ok(credits > 0n);
    }
  }
}

/** An exact decimal in units of 1e-12. */
function nano(text: string): bigint {
  const [whole = "", decimals = ""] = text.split(".");
  return BigInt(whole + decimals.padEnd(12, "0"));
}
