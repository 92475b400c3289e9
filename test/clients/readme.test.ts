// Runs the examples of the documents: every fenced block whose info string holds `run` (```sh run, ```js run), with
// BASE_URL and API_KEY set, on the simulated models.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Block, documentBlocks, findBlocks } from "../support/document-blocks.ts";
import { startSimulated, type SimulatedService } from "./simulated-service.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The command for each language; curl fails on an HTTP error (see `before`). */
const COMMANDS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  sh: ["sh", "-e"],
  bash: ["sh", "-e"],
  js: [process.execPath, "--input-type=module"],
  ts: [process.execPath, "--input-type=module-typescript"],
};

let started: SimulatedService;
const folder = mkdtempSync(join(tmpdir(), "turngate-readme-"));
before(async () => {
  writeFileSync(join(folder, ".curlrc"), "fail-with-body\nsilent\nshow-error\nmax-time = 20\n");
  started = await startSimulated();
});
after(async () => {
  await started.close();
  rmSync(folder, { recursive: true });
});

async function run({ language, code }: Block): Promise<{ exitCode: number | null; output: string }> {
  const [command, ...words] = COMMANDS[language] ?? assert.fail(`no command runs ${language}`);
  const { baseUrl, key } = started.service;
  const child = spawn(command, words, {
    cwd: ROOT,
    env: { PATH: process.env["PATH"] ?? "", CURL_HOME: folder, BASE_URL: `${baseUrl}/v1`, API_KEY: key },
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end(code);
  const exitCode = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { exitCode, output };
}

const hasCurl = spawnSync("curl", ["--version"]).status === 0;
for (const block of documentBlocks()) {
  // Python's have a run of their own, since its packages take a minute to install: test/python/main.ts.
  if (block.language === "python") continue;
  const skip = block.code.includes("curl") && !hasCurl ? "there is no curl here" : false;
  test(`${block.place}: the ${block.language} block runs`, { skip }, async () => {
    const { exitCode, output } = await run(block);
    assert.equal(exitCode, 0, output);
  });
}

test("a block whose request is rejected fails", { skip: !hasCurl }, async () => {
  const [block, ...others] = findBlocks(
    "x",
    '```sh\nno\n```\n```sh run\ncurl $BASE_URL/responses -H "Authorization: Bearer $API_KEY" -d "{}"\n```\n',
  );
  assert.ok(block !== undefined && others.length === 0);
  const { exitCode, output } = await run(block);
  assert.equal(exitCode, 22, output);
  assert.match(output, /invalid_input/);
});

test("a block that throws fails", async () => {
  const { exitCode } = await run({ place: "x", language: "js", code: 'import "openai"; throw new Error("x");' });
  assert.equal(exitCode, 1);
});
