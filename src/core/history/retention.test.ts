import assert from "node:assert/strict";
import { test } from "node:test";
import { effectiveRetention } from "./retention.ts";

test("the shorter of the organization's and the service's retention applies; null is none", () => {
  const rows = [
    [null, null, null],
    [7, null, 7],
    [null, 30, 30],
    [7, 30, 7],
    [90, 30, 30],
  ] as const;
  for (const [own, service, effective] of rows) assert.equal(effectiveRetention(own, service), effective);
});
