// Runs the examples of the documents: every fenced block whose info string holds `run` (```sh run, ```js run), with
// BASE_URL and API_KEY set, on the simulated models.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startSimulated, type SimulatedService } from "./simulated-service.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface Block {
  readonly place: string;
  readonly language: string;
  readonly code: string;
}

/** The blocks of a text that are marked `run`. */
function findBlocks(file: string, text: string): Block[] {
  const blocks: Block[] = [];
  let open: { fence: string; language: string; mayRun: boolean; line: number; code: string[] } | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    const [, fence = "", info = ""] = /^ {0,3}(`{3,})(.*)$/.exec(line) ?? [];
    if (open === null) {
      if (fence === "") continue;
      const [language = "", ...words] = info.trim().split(/\s+/);
      open = { fence, language, mayRun: words.includes("run"), line: index + 1, code: [] };
    } else if (fence.length >= open.fence.length && info.trim() === "") {
      const { language, mayRun, code } = open;
      if (mayRun) blocks.push({ place: `${file}, line ${open.line}`, language, code: code.join("\n") });
      open = null;
    } else open.code.push(line);
  }
  return blocks;
}

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
const documents = ["README.md", ...readdirSync(join(ROOT, "docs")).map((name) => join("docs", name))];
for (const file of documents) {
  if (!file.endsWith(".md")) continue;
  for (const block of findBlocks(file, readDocument(file))) {
    const skip = block.code.includes("curl") && !hasCurl ? "there is no curl here" : false;
    test(`${block.place}: the ${block.language} block runs`, { skip }, async () => {
      const { exitCode, output } = await run(block);
      assert.equal(exitCode, 0, output);
    });
  }
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

function readDocument(file: string): string {
  try {
    return readFileSync(join(ROOT, file), "utf8");
  } catch {
    return "";
  }
}
