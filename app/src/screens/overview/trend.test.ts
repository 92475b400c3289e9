import assert from "node:assert/strict";
import { test } from "node:test";
import { describeTrend } from "./trend.ts";

test("a figure is compared with that of the day before, as far as both are seen", () => {
  const format = (figure: number) => `${Math.round(figure)} ms`;
  assert.equal(describeTrend(400, 300, format), "up from 300 ms the day before");
  assert.equal(describeTrend(200, 300, format), "down from 300 ms the day before");
  assert.equal(describeTrend(300.2, 300, format), "as the day before");
  assert.equal(describeTrend(null, 300, format), null);
  assert.equal(describeTrend(300, null, format), null);
});
