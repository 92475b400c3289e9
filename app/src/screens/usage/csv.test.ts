import assert from "node:assert/strict";
import { test } from "node:test";
import type { UsageRow } from "../../api/client.ts";
import { usageCsv } from "./csv.ts";
import { readUsageSearch } from "./search.ts";

const NONE = { input_tokens: 0, cached_tokens: 0, cache_write_tokens: 0, output_tokens: 0, reasoning_tokens: 0 };
const row = (more: Partial<UsageRow>): UsageRow => ({
  ...NONE,
  responses: 1,
  credits: 0.5,
  cached_share: null,
  saved: 0,
  ...more,
});

test("a line for each row, and the total last", () => {
  const rows = [row({ model: "a", day: "2026-11-01" }), row({ model: "b", day: "2026-11-02", input_tokens: 7 })];
  const total = row({ responses: 2, input_tokens: 7, credits: 1 });
  assert.deepEqual(usageCsv(rows, total, readUsageSearch({ by: "model", every: "day" })).split("\r\n"), [
    "model,day,responses,input_tokens,cached_tokens,cache_write_tokens,output_tokens,reasoning_tokens,saved,credits",
    "a,2026-11-01,1,0,0,0,0,0,0,0.5",
    "b,2026-11-02,1,7,0,0,0,0,0,0.5",
    "total,,2,7,0,0,0,0,0,1",
    "",
  ]);
  const only = usageCsv([total], total, readUsageSearch({ by: "none", every: "total" })).split("\r\n");
  assert.deepEqual(only.slice(1), ["2,7,0,0,0,0,0,1", ""], "the only row is the total");
});

test("a name is a text to a spreadsheet, whatever it begins with and contains", () => {
  const names = ["=HYPERLINK(1)", "+1", "-1", "@x", 'a "b", c', "two\nlines", "plain"];
  const text = usageCsv(
    names.map((name) => row({ key: "key_1", name })),
    undefined,
    readUsageSearch({ by: "key", every: "total" }),
  );
  const fields = [`'=HYPERLINK(1)`, `'+1`, `'-1`, `'@x`, `"a ""b"", c"`, `"two\nlines"`, "plain"];
  for (const field of fields) assert.ok(text.includes(`\r\n${field},1,0`), field);
});

test("an hour is named as the interface writes it", () => {
  const search = readUsageSearch({ by: "none", every: "hour" });
  assert.match(usageCsv([row({ hour: "2026-11-01T15:00Z" })], undefined, search), /^2026-11-01T15:00Z,1,/m);
});
