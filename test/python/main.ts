// `npm run test:python`: runs the Python examples of the documents (```python run) on the simulated models. Skipped, with the reason, where
// there is no Python or where its packages cannot be had.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";
import { startSimulated, type SimulatedService } from "../clients/simulated-service.ts";
import { documentBlocks } from "../support/document-blocks.ts";
import { preparePython } from "./virtual-environment.ts";

const found = preparePython();
const skip = "missing" in found ? found.missing : false;
const python = "python" in found ? found.python : "";

let started: SimulatedService;
before(async () => {
  started = await startSimulated();
});
after(() => started.close());

async function run(code: string): Promise<{ exitCode: number | null; output: string }> {
  const { baseUrl, key } = started.service;
  const child = spawn(python, ["-"], {
    env: { PATH: process.env["PATH"] ?? "", BASE_URL: `${baseUrl}/v1`, API_KEY: key },
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end(code);
  const exitCode = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { exitCode, output };
}

for (const { place, language, code } of documentBlocks()) {
  if (language !== "python") continue;
  test(`${place}: the Python block runs`, { skip }, async () => {
    const { exitCode, output } = await run(code);
    assert.equal(exitCode, 0, output);
    assert.notEqual(output, "");
  });
}

test("a block whose request is rejected fails", { skip }, async () => {
  const { exitCode, output } = await run(
    'import os\nfrom openai import OpenAI\nOpenAI(base_url=os.environ["BASE_URL"], api_key=os.environ["API_KEY"]).responses.create()',
  );
  assert.equal(exitCode, 1);
  assert.match(output, /BadRequestError/);
});
