// startTurngate, from the clone's sources. `npm run release:check` does the same with the packed package, on every Node that it can get.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import OpenAI from "openai";
import { startTurngate, type Turngate } from "../../src/library/start-turngate.ts";
import { until } from "../support/until.ts";

// Gateways have their folders here, so that a test sees what stays.
const parent = mkdtempSync(join(tmpdir(), "turngate-library-"));
process.env["TMPDIR"] = parent;
after(() => rmSync(parent, { recursive: true, force: true }));

const openClient = ({ baseUrl, apiKey }: Turngate): OpenAI => new OpenAI({ baseURL: baseUrl, apiKey });

test("the official client talks to the gateway, whose folder goes with it", async () => {
  let gone: Turngate;
  {
    await using gateway = await startTurngate();
    const client = openClient(gateway);
    const first = await client.responses.create({ model: "simulated/echo", input: "My name is Ada." });
    const second = await client.responses.create({
      model: "simulated/echo",
      previous_response_id: first.id,
      input: "What is my name?",
    });
    assert.equal(second.output_text, "What is my name?");
    assert.equal(readdirSync(parent).length, 1);
    gone = gateway;
  }
  assert.deepEqual(readdirSync(parent), []);
  await assert.rejects(fetch(`${gone.baseUrl}/models`));
});

test("a gateway has the given configuration and variables, and no provider key of the test's process", async (t) => {
  process.env["OPENAI_API_KEY"] = "sk-of-this-process";
  t.after(() => delete process.env["OPENAI_API_KEY"]);
  const families = async (gateway: Turngate) => {
    const { data } = await openClient(gateway).models.list();
    return [...new Set(data.map(({ id }) => id.slice(0, id.indexOf("/"))))].toSorted();
  };
  await using plain = await startTurngate();
  assert.deepEqual(await families(plain), ["simulated"]);
  await using given = await startTurngate({
    config: { limits: { requests_per_minute: { create: 1 } } },
    env: { GEMINI_API_KEY: "for-this-gateway" },
  });
  assert.deepEqual(await families(given), ["google", "simulated"]);
  const create = () =>
    fetch(`${given.baseUrl}/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${given.apiKey}` },
      body: JSON.stringify({ model: "simulated/echo", input: "Hi" }),
    });
  assert.deepEqual([(await create()).status, (await create()).status], [200, 429]);
});

test("a given folder keeps the history for the next gateway with the same key", async () => {
  const folder = join(parent, "kept");
  const first = await startTurngate({ folder });
  const { apiKey } = first;
  const { id } = await openClient(first).responses.create({ model: "simulated/echo", input: "Remember this." });
  await first.stop();
  await assert.rejects(startTurngate({ folder }), /used before: give its apiKey/);
  await using second = await startTurngate({ folder, apiKey });
  assert.equal((await openClient(second).responses.retrieve(id)).output_text, "Remember this.");
  await second.stop();
  rmSync(folder, { recursive: true });
});

test("a gateway that can't start rejects with its reason, and leaves nothing", async () => {
  await assert.rejects(
    startTurngate({ config: { limits: { drain_seconds: "soon" } } }),
    /^Error: Turngate did not start \(exit code 1\): error: .*limits\.drain_seconds is "soon"/,
  );
  assert.deepEqual(readdirSync(parent), []);
});

test("a folder that can't be created is the reason why a gateway does not start", async () => {
  await assert.rejects(
    startTurngate({ folder: "/proc/turngate/data" }),
    /^Error: Turngate did not start \(exit code 1\): error: ENOENT.*mkdir '\/proc\/turngate'$/,
  );
});

test("a gateway ends with the process that has started it, however that ends", async () => {
  const library = new URL("../../src/library/start-turngate.ts", import.meta.url).href;
  const script = `
    import { startTurngate } from ${JSON.stringify(library)};
    const { baseUrl } = await startTurngate();
    console.log(baseUrl);
    setInterval(() => {}, 1000);`;
  const tester = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [printed] = await once(tester.stdout, "data");
  const baseUrl = String(printed).trim();
  assert.equal((await fetch(`${baseUrl}/models`)).status, 401);
  tester.kill("SIGKILL");
  await until("the folder to go", () => readdirSync(parent).length === 0);
  await assert.rejects(fetch(`${baseUrl}/models`));
});

test("`stop` rejects when the gateway has failed", async () => {
  const gateway = await startTurngate();
  // Its database goes away, which ends the service with an error.
  const [folder = ""] = readdirSync(parent);
  rmSync(join(parent, folder, "data"), { recursive: true });
  await openClient(gateway)
    .responses.create({ model: "simulated/echo", input: "Hi" })
    .catch(() => {});
  await assert.rejects(gateway.stop(), /^Error: Turngate has ended with exit code 1\.$/);
  assert.ok(!existsSync(join(parent, folder)));
});
