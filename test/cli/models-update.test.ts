// `turngate models update`: a price file in place of the last one, whole or not at all, which a reload takes.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { openCommandLine } from "./command-line.ts";
import { until } from "../support/until.ts";
import { startService } from "./service-process.ts";

const line = openCommandLine();
after(() => line.remove());
const STORED = join(line.folder, "data", "prices.json");
const write = (name: string, text: string) => writeFileSync(join(line.folder, name), text);
const fileOf = (input: number) =>
  JSON.stringify({
    date: "2099-01-01",
    models: [
      {
        id: "openai/gpt-next",
        context_window: 500_000,
        max_output_tokens: 64_000,
        prices: { input, cached_input: 0.1, output: 8 },
        source: "our contract",
        day: "2099-01-01",
      },
    ],
  });

interface Model {
  readonly id: string;
  readonly context_window: number;
  readonly prices: { readonly input: number };
}
const next = async () => {
  const { stdout, stderr } = await line.run(["models", "list", "--json"], { OPENAI_API_KEY: "k" });
  const { data } = JSON.parse(stdout) as { data: Model[] };
  return { model: data.find(({ id }) => id === "openai/gpt-next") ?? assert.fail(stderr), stderr };
};

test("a price file is checked, kept beside the database and used; a wrong one changes nothing", async () => {
  write("turngate.yaml", "models: [{ id: openai/gpt-next }]\n");
  assert.match((await next()).stderr, /openai\/gpt-next, has no prices/);
  write("wrong.json", fileOf(-1));
  const wrong = await line.run(["models", "update", "wrong.json"], { OPENAI_API_KEY: "k" });
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /wrong\.json:1: models\[0\]\.prices\.input is -1; allowed: USD per million tokens/);
  write("high.json", fileOf(20_000));
  const high = await line.run(["models", "update", "high.json"], { OPENAI_API_KEY: "k" });
  assert.match(
    high.stderr,
    /high\.json: openai\/gpt-next: input at 20000 USD per million tokens is more than one credit/,
  );
  assert.equal(existsSync(STORED), false);

  write("good.json", fileOf(2));
  const { code, stdout, stderr } = await line.run(["models", "update", "good.json"], { OPENAI_API_KEY: "k" });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /prices\.json: 1 model, of 2099-01-01\.\nChanged: openai\/gpt-next\.\n/);
  assert.deepEqual(JSON.parse(readFileSync(STORED, "utf8")), JSON.parse(fileOf(2)));
  assert.deepEqual(readdirSync(join(line.folder, "data")), ["prices.json"]);
  const { model, stderr: warnings } = await next();
  assert.deepEqual([model.context_window, model.prices.input], [500_000, 2]);
  assert.equal(warnings, "");
  const { stdout: examined } = await line.run(["doctor"], {
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: "http://127.0.0.1:1",
  });
  assert.match(examined, /^prices +yes +\d+ models in the price file of \S+, over it .*prices\.json of 2099-01-01$/m);
});

test("a running service takes it at a reload", async () => {
  const service = await startService(line, { OPENAI_API_KEY: "k", MANAGE_PORT: "0" });
  try {
    assert.equal((await next()).model.prices.input, 2);
    write("newer.json", fileOf(3));
    const { stdout } = await line.run(["models", "update", "newer.json"], { OPENAI_API_KEY: "k" });
    assert.match(
      stdout,
      new RegExp(`The running service takes it \\(kill -HUP ${service.child.pid}\\) at its next reload`),
    );
    assert.equal((await next()).model.prices.input, 2);
    service.child.kill("SIGHUP");
    await until("the reload", async () => (await next()).model.prices.input === 3);
  } finally {
    service.child.kill("SIGTERM");
    await service.ended;
  }
});
