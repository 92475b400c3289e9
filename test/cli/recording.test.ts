// `turngate record` and `turngate replay`.
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { OPENAI } from "../support/families.ts";
import { commandLineForFile } from "./command-line.ts";

const line = commandLineForFile();
const provider = await OPENAI.start();
after(() => provider.close());
const { baseUrl, apiKey } = provider.entry;
const at = (file: string) => join(line.folder, file);

writeFileSync(
  at("turngate.yaml"),
  JSON.stringify({
    providers: {
      openai: { type: "openai", base_url: baseUrl, api_key: apiKey, headers: { "x-team": "CANARY-TEAM" } },
      down: { type: "openai", base_url: "http://127.0.0.1:1/v1", api_key: apiKey },
      simulated: { type: "simulated" },
    },
    models: [
      {
        id: "team/fast",
        targets: [
          { provider: "down", upstream_model: "gpt-6.1-terra" },
          { provider: "openai", upstream_model: "gpt-6.1-terra" },
        ],
      },
    ],
  }),
);

test("record writes a private file without the key and the texts, and replay plays it", async () => {
  const input = "/say Bob lives in Springfield\n/fail provider_error";
  const words = ["record", "openai/gpt-6.1-terra", "--input", input, "--output", "bob.json"];
  const { code, stdout, stderr } = await line.run(words);
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    /^Recorded gpt-6\.1-terra at openai: status 200, \d+ chunks, failed \(provider_error\)\.\nbob\.json /,
  );
  const text = readFileSync(at("bob.json"), "utf8");
  assert.equal(statSync(at("bob.json")).mode & 0o777, 0o600);
  for (const secret of [apiKey ?? "", "CANARY-TEAM", "Springfield", "lives", "127.0.0.1"])
    assert.ok(!text.includes(secret), secret);
  const fixture = JSON.parse(text);
  assert.deepEqual(
    [fixture.family, fixture.exchanges[0].request.path, fixture.exchanges[0].request.headers.authorization],
    ["openai", "/responses", "(removed)"],
  );

  const asked = provider.calls().length;
  const played = await line.run(["replay", "bob.json"]);
  assert.equal(played.code, 0, played.stderr);
  assert.match(played.stdout, /^\{"type":"response\.created"/);
  assert.match(
    played.stdout,
    /\nfailed: provider_error: [^\n]+\nThe same in one piece, as recorded and byte by byte\.\nAs the fixture expects\.\n$/,
  );
  assert.equal(provider.calls().length, asked);
});

test("record never overwrites a file without --force, and asks the provider nothing then", async () => {
  writeFileSync(at("kept.json"), "mine");
  const words = ["record", "openai/gpt-6.1-terra", "--input", "Hello", "--output", "kept.json"];
  const asked = provider.calls().length;
  const rejected = await line.run(words);
  assert.deepEqual([rejected.code, rejected.stderr], [1, "error: kept.json exists already; --force replaces it.\n"]);
  assert.deepEqual([readFileSync(at("kept.json"), "utf8"), provider.calls().length], ["mine", asked]);
  assert.equal((await line.run([...words, "--force"])).code, 0);
  assert.equal(statSync(at("kept.json")).mode & 0o777, 0o600);
  assert.equal(JSON.parse(readFileSync(at("kept.json"), "utf8")).family, "openai");
});

test("record takes a whole request, and a target of a model", async () => {
  const body = { input: '/tool find_client {"surname":"Miller"}', tools: [{ type: "function", name: "find_client" }] };
  writeFileSync(at("body.json"), JSON.stringify(body));
  const target = ["--target", "openai/gpt-6.1-terra"];
  const words = ["record", "team/fast", "--body", "body.json", "--output", "call.json"];
  const recorded = await line.json<Record<string, unknown>>(...words, ...target);
  assert.deepEqual([recorded["provider"], recorded["status"], recorded["differs"]], ["openai", "completed", null]);
  const played = await line.json<{ outcome: { output: { type: string; name: string }[] } }>("replay", "call.json");
  const [call] = played.outcome.output;
  const { create } = JSON.parse(readFileSync(at("call.json"), "utf8"));
  assert.deepEqual([call?.type, call?.name], ["function_call", create.tools[0].name]);
  const unknown = await line.run([
    "record",
    "team/fast",
    "--body",
    "body.json",
    "--output",
    "x.json",
    "--target",
    "openai/x",
  ]);
  assert.match(
    unknown.stderr,
    /^error: team\/fast has no target "openai\/x"; it has down\/gpt-6\.1-terra, openai\/gpt-6\.1-terra\.\n$/,
  );
});

test("without a response, a server or a first turn nothing is written", async () => {
  const faults: readonly (readonly [readonly string[], RegExp])[] = [
    [["team/fast", "--input", "Hello"], /down did not respond: The provider could not be reached/],
    [["simulated/echo", "--input", "Hello"], /runs at no server/],
    [["openai/none", "--input", "Hello"], /openai\/none\\?" is not in the catalog/],
    [["openai/gpt-6.1-terra"], /Give --input or --body/],
    [["openai/gpt-6.1-terra", "--body", "later.json"], /continues a history/],
  ];
  writeFileSync(at("later.json"), JSON.stringify({ input: "On", previous_response_id: "resp_1" }));
  for (const [words, message] of faults) {
    // oxlint-disable-next-line no-await-in-loop -- the commands share this process
    const { code, stderr } = await line.run(["record", ...words, "--output", "none.json"]);
    assert.equal(code, 1);
    assert.match(stderr, message);
  }
  assert.equal(existsSync(at("none.json")), false);
});

test("replay fails when the outcome is another one than expected, or the file is no fixture", async () => {
  const fixture = JSON.parse(readFileSync(at("call.json"), "utf8"));
  writeFileSync(at("other.json"), JSON.stringify({ ...fixture, expected: { ...fixture.expected, status: "failed" } }));
  const { code, stdout, stderr } = await line.run(["replay", "other.json"]);
  assert.equal(code, 1);
  assert.match(stdout, /\nNot as the fixture expects: \$\.status: "completed" instead of "failed"\n$/);
  assert.match(stderr, /^error: the outcome is not the one/);
  assert.match((await line.run(["replay", "body.json"])).stderr, /body\.json is no fixture of `turngate record`/);
  assert.match((await line.run(["replay", "gone.json"])).stderr, /gone\.json can't be read \(no such file/);
});
