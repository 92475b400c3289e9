import assert from "node:assert/strict";
import { test } from "node:test";
import { localStartOf } from "../parts/days.ts";
import { filtersFor } from "./travel.ts";

const of = (screen: string, organization = "org_1") => `/organizations/${organization}/${screen}`;
const travel = (from: string, search: Record<string, unknown>, to: string) =>
  filtersFor(of(to), { pathname: of(from), search });

test("a range and what the screens have in common go along", () => {
  const search = { range: "7 days", model: "acme/m", key: "key_1", member: "mem_1", status: "failed" };
  const { status: _, ...all } = search;
  assert.deepEqual(travel("turns", search, "usage"), all);
  assert.deepEqual(travel("turns", search, "errors"), { range: "7 days", model: "acme/m", key: "key_1" });
  assert.deepEqual(travel("usage", search, "audit"), { range: "7 days" });
  assert.deepEqual(travel("turns", { range: "the last hour" }, "usage"), { range: "today" });
});

test("times become days, and days times", () => {
  const days = { from: "2026-11-02", to: "2026-11-04" };
  const times = { from: localStartOf("2026-11-02"), to: localStartOf("2026-11-05") };
  assert.deepEqual(travel("usage", days, "turns"), times);
  assert.deepEqual(travel("turns", times, "usage"), days);
  assert.deepEqual(travel("errors", times, "audit"), times);
});

test("nothing goes to other screens, to another organization, to the same screen, or of a choice that nobody made", () => {
  const search = { range: "7 days", key: "key_1" };
  assert.deepEqual(travel("turns", search, "turns"), {});
  assert.deepEqual(travel("turns", search, "keys"), {});
  assert.deepEqual(travel("keys", search, "turns"), {});
  assert.deepEqual(filtersFor(of("usage", "org_2"), { pathname: of("turns"), search }), {});
  assert.deepEqual(travel("usage", { range: "30 days", from: "2026-11-01", to: "2026-11-30" }, "turns"), {});
});
