import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openCommandLine, readOutcome } from "./command-line.ts";

const line = openCommandLine();
after(() => line.remove());

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  test(`a ${signal} that comes as soon as the address is told stops the service in order`, () => stopInOrder(signal));
}

async function stopInOrder(signal: NodeJS.Signals): Promise<void> {
  const child = line.start(["serve"], { PORT: "0" });
  const ended = readOutcome(child);
  child.stdout?.on("data", (chunk: Buffer) => {
    if (chunk.includes("Base URL:")) child.kill(signal);
  });
  const { code, stdout } = await ended;
  assert.equal(code, 0);
  assert.match(stdout, /"event":"service\.stopped"}\n$/);
}
