import assert from "node:assert/strict";
import test from "node:test";
import { classifyStatus, NOT_RUN_STATUS, type UpstreamFault } from "./error-codes.ts";

test("each status has its meaning, and only 503 certainly did not run", () => {
  const rows: [number, UpstreamFault, boolean][] = [
    [301, "account_fault", false],
    [400, "provider_client_error", false],
    [401, "account_fault", false],
    [402, "account_fault", false],
    [403, "account_fault", false],
    [404, "account_fault", false],
    [408, "provider_unavailable", false],
    [409, "provider_client_error", false],
    [413, "provider_client_error", false],
    [422, "provider_client_error", false],
    [429, "provider_rate_limited", false],
    [500, "provider_unavailable", false],
    [501, "provider_unavailable", false],
    [502, "provider_unavailable", false],
    [503, "provider_unavailable", true],
    [504, "provider_unavailable", false],
    [524, "provider_unavailable", false],
    [529, "provider_overloaded", false],
  ];
  for (const [status, code, certainlyNotRun] of rows)
    assert.deepEqual([classifyStatus(status), status === NOT_RUN_STATUS], [code, certainlyNotRun]);
});
