// Spans that an SDK batches are not lost when the service stops.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/until.ts";
import { openCommandLine, readOutcome } from "./command-line.ts";
import { readGreeting } from "./service-process.ts";

test("on SIGTERM the SDK sends its remaining spans", async (t) => {
  const line = openCommandLine();
  t.after(line.remove);
  const spansFile = join(line.folder, "spans.jsonl");
  const child = line.start(["serve"], {
    PORT: "0",
    MANAGE_PORT: "0",
    SPANS: spansFile,
    SPANS_BATCH_MS: "3600000",
    NODE_OPTIONS: `--import ${new URL("./traces-to-file.ts", import.meta.url).href}`,
  });
  t.after(() => child.kill("SIGKILL"));
  const ended = readOutcome(child);
  let greeted = "";
  child.stderr?.on("data", (chunk: Buffer) => (greeted += chunk.toString()));
  await until("the start", () => /^Models: /m.test(greeted));
  const { baseUrl: base } = readGreeting(greeted, line.folder);
  assert.equal((await fetch(`${base}/models`)).status, 401);

  child.kill("SIGTERM");
  assert.equal((await ended).code, 0);
  assert.match(readFileSync(spansFile, "utf8"), /^\{"name":"GET \/v1\/models",/);
});
