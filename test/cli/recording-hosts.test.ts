// `turngate record` and `turngate replay` of models that clouds host.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { bedrockWire, REGION } from "../providers/anthropic/bedrock-server.ts";
import { AZURE_KEY, azureWire } from "../providers/openai/azure-server.ts";
import { FakeProvider } from "../support/fake-provider.ts";
import { VERTEX_PLACE, vertexWire } from "../support/fake-vertex.ts";
import { commandLineForFile } from "./command-line.ts";

const TOKEN = "CANARY-TOKEN";
const KEYS = { accessKeyId: "AKIACANARY", secretAccessKey: "CANARY-SECRET", sessionToken: "CANARY-SESSION" };
const ACCOUNT = "123456789012";
const line = commandLineForFile();
const azure = await FakeProvider.start(azureWire(() => false));
const bedrock = await FakeProvider.start(bedrockWire((id) => (id === KEYS.accessKeyId ? KEYS : undefined)));
const vertex = await FakeProvider.start(vertexWire((token) => token === TOKEN));
const VARIABLES = {
  AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
  AWS_SESSION_TOKEN: KEYS.sessionToken,
};
after(() => Promise.all([azure.close(), bedrock.close(), vertex.close()]));

const at = (file: string) => join(line.folder, file);
const onVertex = { base_url: vertex.baseUrl, headers: { Authorization: `Bearer ${TOKEN}` } };
const vertexHost = { type: "vertex", ...VERTEX_PLACE };
const profile = `arn:aws:bedrock:${REGION}:${ACCOUNT}:inference-profile/eu.anthropic.claude-haiku-5-5`;
const sizes = { context_window: 100_000, max_output_tokens: 8000, default_output_tokens: 8000, prices: 0 };
writeFileSync(
  at("turngate.yaml"),
  JSON.stringify({
    providers: {
      azure: { type: "openai", base_url: azure.baseUrl, api_key: AZURE_KEY, host: { type: "azure" } },
      bedrock: {
        type: "anthropic",
        base_url: bedrock.baseUrl,
        host: { type: "bedrock", region: REGION, identity: "environment" },
      },
      claude: { type: "anthropic", ...onVertex, host: vertexHost },
      gemini: { type: "gemini", ...onVertex, host: vertexHost },
    },
    models: [
      { id: "azure/gpt", upstream_model: "gpt-eu", ...sizes },
      { id: "azure/busy", upstream_model: "busy", ...sizes },
      { id: "bedrock/haiku", upstream_model: profile, ...sizes },
      { id: "claude/opus", upstream_model: "claude-opus-5", ...sizes },
      { id: "claude/gone", upstream_model: "gone", ...sizes },
      { id: "gemini/flash", upstream_model: "gemini-3.8-flash", ...sizes },
    ],
    catalog: "none",
  }),
);

/** Records one exchange, and plays it; the fixture. */
async function recordAndReplay(model: string, input: string) {
  const file = `${model.replace("/", "-")}.json`;
  const words = ["record", model, "--input", input, "--output", file, "--force", "--json"];
  const { code, stdout, stderr } = await line.run(words, VARIABLES);
  assert.equal(code, 0, stderr);
  const recorded = JSON.parse(stdout) as Record<string, unknown>;
  assert.equal(recorded["differs"], null, JSON.stringify(recorded));
  const text = readFileSync(at(file), "utf8");
  for (const secret of ["CANARY", AZURE_KEY, ACCOUNT, VERTEX_PLACE.project, "Springfield", "127.0.0.1"])
    assert.ok(!text.includes(secret), secret);
  const played = await line.run(["replay", file]);
  assert.equal(played.code, 0, played.stderr);
  assert.match(played.stdout, /\nThe same in one piece, as recorded and byte by byte\.\nAs the fixture expects\.\n$/);
  return { recorded, fixture: JSON.parse(text) };
}

const INPUT = "/say Bob lives in Springfield\n/usage input=100 cached=40 output=7";
const rows = [
  ["azure/gpt", "azure", "/responses"],
  [
    "bedrock/haiku",
    "bedrock",
    `/model/${encodeURIComponent(profile.replace(ACCOUNT, "0".repeat(12)))}/invoke-with-response-stream`,
  ],
  ["claude/opus", "vertex", "/claude-opus-5:streamRawPredict"],
  ["gemini/flash", "vertex", "/gemini-3.8-flash:streamGenerateContent"],
] as const;
for (const [model, host, path] of rows) {
  test(`an exchange of ${model} is recorded through its host and replayed, without secrets and accounts`, async () => {
    const { recorded, fixture } = await recordAndReplay(model, INPUT);
    assert.equal(recorded["status"], "completed");
    assert.deepEqual([fixture.host, fixture.exchanges[0].request.path], [host, path]);
    assert.equal(fixture.expected.usage.input_tokens_details.cached_tokens, 40);
  });
}

test("errors in the shapes of hosts are replayed with their codes", async () => {
  const errors = [
    ["azure/busy", "Hi", "provider_rate_limited"],
    ["bedrock/haiku", "/busy", "provider_rate_limited"],
    ["bedrock/haiku", "/model-error", "provider_unavailable"],
    ["claude/gone", "Hi", "provider_unavailable"],
    ["gemini/flash", "/fail provider_overloaded", "provider_overloaded"],
  ] as const;
  for (const [model, input, code] of errors) {
    // oxlint-disable-next-line no-await-in-loop -- the commands share this process
    const { recorded, fixture } = await recordAndReplay(model, input);
    assert.deepEqual([recorded["code"], fixture.expected.error.code], [code, code], model);
  }
});
