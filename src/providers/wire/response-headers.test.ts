import assert from "node:assert/strict";
import test from "node:test";
import { type ResponseHeaders, readRetryAfterSeconds } from "./response-headers.ts";

const NOW_MS = Date.parse("2026-11-24T10:00:00Z");

test("Retry-After is read in every form, rounded up to whole seconds", () => {
  const rows: [ResponseHeaders, number | null][] = [
    [{ "retry-after": "7" }, 7],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "1.2" }, 2],
    [{ "retry-after": ["3", "9"] }, 3],
    [{ "retry-after": "Tue, 24 Nov 2026 10:00:30 GMT" }, 30],
    [{ "retry-after": "Tue, 24 Nov 2026 09:00:00 GMT" }, 0],
    [{ "retry-after-ms": "1500" }, 2],
    [{ "retry-after-ms": "200", "retry-after": "9" }, 1],
    [{ "retry-after-ms": "soon", "retry-after": "9" }, 9],
    [{ "retry-after": "soon" }, null],
    [{ "retry-after": "-1x" }, null],
    [{ "retry-after": "-5" }, null],
    [{ "retry-after": "5,6" }, null],
    [{ "retry-after": "Tuesday, 24-Nov-26 10:01:30 GMT" }, 90],
    [{ "retry-after": "Tue Nov 24 10:00:05 2026" }, 5],
    [{ "retry-after": "2026-11-24T11:00:00.5Z" }, 3601],
    [{ "retry-after": "86400" }, 86_400],
    [{}, null],
  ];
  for (const [headers, seconds] of rows) assert.equal(readRetryAfterSeconds(headers, NOW_MS), seconds);
});
