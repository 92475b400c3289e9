// A log that can't be written neither stops the service nor keeps it from stopping. See docs/reliability.md, F-11, F-33
import assert from "node:assert/strict";
import { closeSync, openSync } from "node:fs";
import { test } from "node:test";
import { findPort } from "../crash/service-process.ts";
import { until } from "../support/until.ts";
import { commandLineForFile, readOutcome } from "./command-line.ts";

const line = commandLineForFile();

test("with stdout on a full disk the service starts, serves and stops in order", async () => {
  const port = await findPort();
  const full = openSync("/dev/full", "w");
  const child = line.start(["serve"], { PORT: String(port), MANAGE_PORT: "0" }, full);
  closeSync(full);
  const ended = readOutcome(child);
  const isAlive = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until("the service to listen", async () => child.exitCode !== null || (await isAlive()));
  child.kill("SIGTERM");
  const { code, stderr } = await ended;
  assert.equal(code, 0);
  assert.match(stderr, /^\nAPI key: [^]*\nTry it: [^\n]+\n\n$/);
});
