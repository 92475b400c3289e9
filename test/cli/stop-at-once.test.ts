import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { commandLineForFile, openCommandLine, readOutcome } from "./command-line.ts";

const line = commandLineForFile();

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`a ${signal} that comes as soon as the address is printed stops the service in order`, () =>
    stopInOrder(signal));
}

async function stopInOrder(signal: NodeJS.Signals): Promise<void> {
  const child = line.start(["serve"], { PORT: "0" });
  const ended = readOutcome(child);
  child.stderr?.on("data", (chunk: Buffer) => {
    if (chunk.includes("Base URL:")) child.kill(signal);
  });
  const { code, stdout } = await ended;
  assert.equal(code, 0);
  assert.match(stdout, /"event":"service\.stopped"}\n$/);
}

// In a container it may be process 1, which ignores signals without a handler.
test("a signal during the start ends the service with 0", async () => {
  const own = openCommandLine();
  after(() => own.remove());
  const child = own.start(["serve"], { PORT: "0" });
  const ended = readOutcome(child);
  // No timeout here: the test's own one applies.
  while (!existsSync(join(own.folder, "data")) && child.exitCode === null) await setTimeout(5);
  child.kill("SIGTERM");
  assert.equal((await ended).code, 0);
});
