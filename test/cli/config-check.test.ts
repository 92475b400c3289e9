// `turngate config check` and `config show` read the configuration and nothing else.
import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commandLineForFile } from "./command-line.ts";

const line = commandLineForFile();
const write = (name: string, text: string) => writeFileSync(join(line.folder, name), text);

test("config check FILE checks that file, without starting or creating anything", async () => {
  write("good.yaml", "providers: {openai: {type: openai, api_key: '${KEY}'}}\nmodels: [{id: openai/new}]\n");
  const { code, stdout, stderr } = await line.run(["config", "check", "good.yaml"], { KEY: "CANARY" });
  assert.equal(code, 0);
  assert.equal(stdout, "good.yaml: valid.\n  openai (openai; good.yaml): 2 models\n");
  assert.match(stderr, /^warning: good\.yaml:2: models\[0\], openai\/new, has no prices, [^\n]+\n$/);
  assert.deepEqual(readdirSync(line.folder), ["good.yaml"]);
});

test("a fault is reported with its line and a non-zero exit", async () => {
  write("bad.yaml", "server:\n  port: many\n");
  const { code, stdout, stderr } = await line.run(["config", "check", "bad.yaml", "--json"]);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^error: bad\.yaml:2: server\.port is "many"; allowed: [^\n]+\n$/);
  // A price that can't be charged is found when the catalog is built.
  write("dear.yaml", "models: [{id: simulated/x, prices: {input: 9}}]\ncredits: {usd_per_credit: 0.000001}\n");
  assert.match(
    (await line.run(["config", "check", "dear.yaml"])).stderr,
    /^error: The price of simulated\/x is too high/,
  );
  assert.equal((await line.run(["config", "check", "none.yaml"])).code, 1);
});

test("without a file, config check reads what a start would read", async () => {
  assert.match((await line.run(["config", "check"])).stdout, /^No file, [^\n]*\n {2}simulated /);
  write("turngate.yaml", "limits: {}\n");
  const checked = await line.json<{ file: string; warnings: unknown[] }>("config", "check");
  assert.deepEqual([checked.file, checked.warnings], ["./turngate.yaml", []]);
});

test("`models list`, `doctor` and the start print the warnings of the configuration", async () => {
  const file = { TURNGATE_CONFIG: "good.yaml", KEY: "k", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" };
  const listed = await line.run(["models", "list", "--json"], file);
  assert.match(listed.stderr, /^warning: good\.yaml:2: .*has no prices/);
  assert.ok(Array.isArray(JSON.parse(listed.stdout).data));
  assert.match((await line.run(["doctor"], file)).stdout, /^warning +yes +good\.yaml:2: .*has no prices/m);
  const child = line.start(["serve"], { ...file, PORT: "0" });
  const [warning] = await new Promise<Buffer[]>((resolve) =>
    child.stderr?.once("data", (...chunks) => resolve(chunks)),
  );
  child.kill("SIGKILL");
  assert.match(String(warning), /^warning: good\.yaml:2: .*has no prices/);
});

test("help describes environment, ports and files", async () => {
  for (const words of [["--help"], ["serve", "--help"]]) {
    const { code, stdout } = await line.run(words);
    assert.equal(code, 0);
    for (const word of ["TURNGATE_CONFIG", "DATABASE_URL", "8081", "./data/secret", "./turngate.yaml"]) {
      assert.ok(stdout.includes(word), word);
    }
  }
});

test("config show shows what a start here would use, without a secret", async () => {
  write("shown.yaml", "providers:\n  openai: { type: openai, api_key: 'CANARY' }\n");
  const { code, stdout } = await line.run(["config", "show", "--json"], { TURNGATE_CONFIG: "shown.yaml" });
  assert.equal(code, 0);
  const { file, providers } = JSON.parse(stdout);
  const shown = { host: null, base_url: null, api_keys: 1, headers: [], timeout_seconds: null };
  assert.deepEqual([file, providers], ["shown.yaml", [{ name: "openai", type: "openai", ...shown }]]);
  assert.doesNotMatch(stdout, /CANARY/);
});

test("config import makes a file that config check accepts, and replaces none", async () => {
  const entry = "{ model_name: gpt, litellm_params: { model: openai/gpt-6.1-terra, api_key: os.environ/KEY, rpm: 5 } }";
  write("litellm.yaml", `model_list: [${entry}]\n`);
  const { code, stdout, stderr } = await line.run(["config", "import", "litellm.yaml", "--write", "made.yaml"]);
  assert.deepEqual(
    [code, stdout],
    [0, "Wrote made.yaml with 1 of 1 models; `turngate config check made.yaml` checks it.\n"],
    stderr,
  );
  assert.equal(stderr, "note: gpt: not carried over: rpm.\n");
  const checked = await line.run(["config", "check", "made.yaml"], { KEY: "k" });
  assert.match(checked.stdout, /^made\.yaml: valid\.\n {2}openai \(openai; made\.yaml\): 1 model\n$/);
  const again = await line.run(["config", "import", "litellm.yaml", "--write", "made.yaml"]);
  assert.deepEqual([again.code, again.stdout], [1, ""]);
  assert.match(again.stderr, /^error: made\.yaml exists already/);
  const missing = await line.run(["config", "import", "missing.yaml"]);
  assert.equal(missing.stderr, "error: missing.yaml can't be read (no such file or directory).\n");
  const printed = await line.run(["config", "import", "litellm.yaml"]);
  assert.match(printed.stdout, /^# Made of litellm\.yaml[^]*upstream_model: gpt-6\.1-terra/);
  write("partly.yaml", `model_list: [${entry}, { model_name: all, litellm_params: { model: "openai/*" } }]\n`);
  const partly = await line.run(["config", "import", "partly.yaml"]);
  assert.equal(partly.code, 2);
  assert.match(partly.stderr, /^1 of 2 models$/m);
  write("routed.yaml", `model_list: [${entry}]\nrouter_settings: { cooldown_time: 5, fallbacks: [{ gpt: [gone] }] }\n`);
  const routed = await line.run(["config", "import", "routed.yaml", "--write", "routed-made.yaml"]);
  assert.equal(routed.code, 2);
  assert.match(
    routed.stdout,
    /^Wrote routed-made\.yaml with 1 of 1 models, without 2 fallbacks, aliases or settings of/,
  );
});
