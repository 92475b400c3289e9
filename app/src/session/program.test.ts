import assert from "node:assert/strict";
import { test } from "node:test";
import { describeProgram } from "./program.ts";

test("a browser is called by its name and system, and another program by its own text", () => {
  const chrome =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36";
  assert.equal(describeProgram(chrome), "Chrome on Linux");
  assert.equal(describeProgram(`${chrome} Edg/149.0.0.0`), "Edge on Linux");
  const phone =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile Safari/604.1";
  assert.equal(describeProgram(phone), "Safari on iOS");
  assert.equal(
    describeProgram("Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Firefox/140.0"),
    "Firefox on macOS",
  );
  assert.equal(describeProgram("curl/8.14.1"), "curl/8.14.1");
  assert.equal(describeProgram(null), "unknown");
});
