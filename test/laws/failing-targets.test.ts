// A client sees the same of a model of three targets of which two fail as of a model without targets: a sample of the tests
// of the latter, run there. All of them: npm run test:targets.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { test } from "node:test";

const FILES = [
  "test/http/create-response/200.test.ts",
  "test/http/create-response/200-retries.test.ts",
  "test/http/create-response/200-tool-loop.test.ts",
  "test/laws/retry.test.ts",
];

test("a model with two failing targets is like one without targets", { timeout: 60_000 }, async (t) => {
  const seed = String(randomInt(1_000_000));
  t.diagnostic(`TEST_TARGETS=${seed} repeats this`);
  const { NODE_TEST_CONTEXT: _, ...variables } = process.env;
  const env = { ...variables, TEST_TARGETS: seed };
  const words = ["--test", "--test-isolation=none", "--test-timeout=30000", "--test-reporter=spec", ...FILES];
  const { code, output } = await new Promise<{ code: number; output: string }>((resolve) => {
    execFile(process.execPath, words, { env, maxBuffer: 2 ** 26 }, (error, stdout) =>
      resolve({ code: error === null ? 0 : 1, output: stdout }),
    );
  });
  assert.equal(code, 0, output.slice(output.indexOf("failing tests")).replaceAll("\n", "\n    "));
  assert.match(output, /^ℹ pass [1-9]/m);
});
