// turngate usage export: a month as CSV and in the columns of FOCUS, on the store and on a running service.
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readCsv } from "../support/csv.ts";
import { openCommandLine } from "./command-line.ts";
import { type ServiceProcess, startService } from "./service-process.ts";

const line = openCommandLine();
/** Here there is no store: everything comes from the service. */
const elsewhere = openCommandLine();
const FORMULA = '=HYPERLINK("http://evil.test","x")';
let service: ServiceProcess;
let remote: readonly string[];
/** The month of the turns, in UTC and in Berlin. */
let month: string;
let monthInBerlin: string;

before(async () => {
  writeFileSync(
    join(line.folder, "turngate.yaml"),
    "turn_log: { metadata_key: team }\ncatalog: none\nproviders: { simulated: { type: simulated } }\nmodels: [{ id: acme/large, provider: simulated, upstream_model: echo, prices: { input: 0.37, output: 1.13 } }]\n",
  );
  service = await startService(line, { MANAGE_PORT: "0" });
  const { secret } = await line.json<{ secret: string }>("tokens", "create", "--name", "remote", "--scope", "operator");
  remote = ["--url", service.manageOrigin, "--token", secret];
  const evil = await line.json<{ secret: string }>("keys", "create", "--org", "default", "--name", FORMULA);
  const monthIn = (zone: string) => Temporal.Now.plainDateISO(zone).toString().slice(0, 7);
  month = monthIn("UTC");
  monthInBerlin = monthIn("Europe/Berlin");
  for (const [key, team] of [
    [service.firstKey, "blue"],
    [service.firstKey, "blue"],
    [service.firstKey, "=1+1"],
    [evil.secret, null],
  ] as const) {
    const metadata = team === null ? {} : { team };
    const reply = await fetch(`${service.baseUrl}/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "acme/large", input: "Some words for the model", metadata }),
    });
    assert.equal(reply.status, 200, await reply.text());
  }
  assert.deepEqual([monthIn("UTC"), monthIn("Europe/Berlin")], [month, monthInBerlin], "no month began meanwhile");
});

after(async () => {
  service.child.kill("SIGKILL");
  await service.ended;
  line.remove();
  elsewhere.remove();
});

async function exported(...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await line.run(["usage", "export", ...words]);
  assert.equal(code, 0, stderr);
  return stdout;
}

/** The lines by the names of the columns. */
function recordsOf(text: string): Record<string, string>[] {
  const [names = [], ...lines] = readCsv(text);
  for (const cells of lines) assert.equal(cells.length, names.length);
  return lines.map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ""])));
}

const sumOf = (records: readonly Record<string, string>[], name: string) =>
  records.reduce((sum, record) => sum + Number(record[name]), 0);

test("CSV has a line for each key and label, safe for spreadsheets, and adds up to `usage`", async () => {
  const records = recordsOf(await exported("--month", month));
  assert.deepEqual(
    records.map((record) => `${record["key_name"]} | ${record["label"]} | ${record["requests"]}`).toSorted(),
    [`'${FORMULA} |  | 1`, "first key | team==1+1 | 1", "first key | team=blue | 2"],
  );
  const { data } = await line.json<{ data: Record<string, number>[] }>("usage", "--org", "default");
  assert.equal(sumOf(records, "requests"), data[0]?.["responses"]);
  assert.equal(sumOf(records, "input_tokens"), data[0]?.["input_tokens"]);
  assert.equal(sumOf(records, "output_tokens"), data[0]?.["output_tokens"]);
  const nano = (text: unknown) => Math.round(Number(text) * 1e9);
  const charged = records.reduce((sum, { credits }) => sum + nano(credits), 0);
  assert.equal(charged, nano(data[0]?.["credits"]));
  assert.ok(charged > 0);
  for (const { credits, cost_usd: usd } of records) assert.equal(nano(usd) * 100, nano(credits));
});

test("the columns of FOCUS have the same costs, periods of the zone, and labels as tags", async () => {
  const words = ["--month", monthInBerlin, "--zone", "Europe/Berlin"];
  const plain = recordsOf(await exported(...words));
  const records = recordsOf(await exported(...words, "--format", "focus", "--org", "default"));
  assert.deepEqual(
    records.map(({ BilledCost, SkuId, x_Requests }) => [BilledCost, SkuId, x_Requests]),
    plain.map(({ cost_usd, model, requests }) => [cost_usd, model, requests]),
  );
  const instant = (day: Temporal.PlainDate) =>
    day.toZonedDateTime("Europe/Berlin").toInstant().toString({ smallestUnit: "second" });
  const first = Temporal.PlainDate.from(`${monthInBerlin}-01`);
  for (const record of records) {
    assert.equal(record["BillingPeriodStart"], instant(first));
    assert.equal(record["BillingPeriodEnd"], instant(first.add({ months: 1 })));
    const unit = Number(record["ListUnitPrice"]) * Number(record["PricingQuantity"]);
    assert.ok(Math.abs(unit - Number(record["ListCost"])) < 1e-12);
  }
  assert.deepEqual(records.map(({ Tags = "none" }) => Tags).toSorted(), ["", '{"team":"=1+1"}', '{"team":"blue"}']);
});

test("a running service gives the same; a file is new and whole", async () => {
  const here = await exported("--month", month, "--format", "focus");
  const there = await elsewhere.run(["usage", "export", "--month", month, "--format", "focus", ...remote]);
  assert.equal(there.stdout, here, there.stderr);
  assert.deepEqual(
    await elsewhere.json("usage", "export", "--month", month, "--org", "default", ...remote),
    await line.json("usage", "export", "--month", month),
  );
  const file = join(line.folder, "month.csv");
  assert.equal(await exported("--month", month, "--write", file), `Wrote 3 lines to ${file}.\n`);
  assert.equal(readFileSync(file, "utf8"), await exported("--month", month));
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const again = await line.run(["usage", "export", "--month", month, "--write", file]);
  assert.match(again.stderr, /month\.csv exists already/);
  const json = await line.json("usage", "export", "--month", month, "--write", `${file}.2`);
  assert.deepEqual(json, { file: `${file}.2`, lines: 3 });
});

test("an empty month is the header alone, in both forms; of JSON an empty list", async () => {
  for (const format of ["csv", "focus"]) {
    const text = await exported("--month", "2001-02", "--format", format);
    assert.equal(readCsv(text).length, 1, text);
  }
  const { data } = await line.json<{ data: unknown[] }>("usage", "export", "--month", "2001-02");
  assert.deepEqual(data, []);
});

test("what is wrong is said, and leaves nothing on stdout and no file", async () => {
  const file = join(line.folder, "none.csv");
  for (const [words, message] of [
    [[], /required option '--month <month>'/],
    [["--month", "2026-13"], /^error: month is "2026-13"; allowed: YYYY-MM/],
    [["--month", month, "--zone", "Mars", "--write", file], /^error: zone is "Mars"/],
    [["--month", month, "--org", "nobody"], /^error: there is no organization "nobody"/],
    [["--month", month, "--format", "xls"], /Allowed choices are csv, focus/],
    [["--month", month, "--token", "adm_x"], /^error: --token needs --url/],
  ] as const) {
    const { code, stdout, stderr } = await line.run(["usage", "export", ...words]);
    assert.deepEqual([code, stdout], [1, ""], stderr);
    assert.match(stderr, message);
  }
  assert.throws(() => statSync(file), /ENOENT/);
});

test("`usage` alone is `usage show`", async () => {
  assert.deepEqual(await line.json("usage", "--by", "model"), await line.json("usage", "show", "--by", "model"));
});
