// What HTTP clients see is the same on PostgreSQL: the tests over HTTP that store most, run there. All of them, with the
// laws and the management interface: npm run test:postgres.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { test } from "node:test";

const AREAS: Readonly<Record<string, readonly string[]>> = {
  turns: [
    "create-response/{200,200-item-reference,200-retries,200-truncation,404,409,5xx-later-schema,5xx-store}",
    "create-response/{races,settled-elsewhere,unanswered-calls,unreadable-history}",
    "{retrieve,cancel,delete}-response/*",
  ],
  conversations: ["{create-conversation,add-items,list-items}/*"],
  accounts: ["../manage/delete-organization"],
  money: ["money/{balance-of-zero,begin,charges,charges-by-end,running,running-ahead}"],
};

for (const [area, patterns] of Object.entries(AREAS)) {
  test(`${area} are on PostgreSQL as they are on the embedded store`, { timeout: 280_000 }, async () => {
    const files = patterns.flatMap((pattern) => globSync(`test/http/${pattern}.test.ts`));
    assert.ok(files.length >= patterns.length, `${files.length} files`);
    const { NODE_TEST_CONTEXT: _, ...variables } = process.env;
    const env = { ...variables, TEST_ENGINE: "postgres" };
    // One process for all: its start costs more than most of the files.
    const words = ["--test", "--test-isolation=none", "--test-timeout=60000", "--test-reporter=spec", ...files];
    const { code, output } = await new Promise<{ code: number; output: string }>((resolve) => {
      execFile(process.execPath, words, { env, maxBuffer: 2 ** 26 }, (error, stdout) =>
        resolve({ code: error === null ? 0 : 1, output: stdout }),
      );
    });
    assert.equal(code, 0, output.slice(output.indexOf("failing tests")).replaceAll("\n", "\n    "));
    assert.match(output, /^ℹ pass [1-9]/m);
  });
}
