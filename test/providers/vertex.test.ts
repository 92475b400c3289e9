// The whole service with Claude and Gemini on Vertex AI. The fake rejects what the real one rejects.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { askProviders } from "../../src/providers/ask-providers.ts";
import { genAiNameOf } from "../../src/providers/registry.ts";
import { NO_PROXIES } from "../../src/providers/wire/proxies.ts";
import { createSystemClock } from "../../src/system/clock.ts";
import { assertApiError } from "../support/assert-api-error.ts";
import { familyOf } from "../support/family-of.ts";
import { FakeProvider } from "../support/fake-provider.ts";
import { startMetadataServer, VERTEX_PLACE, vertexWire } from "../support/fake-vertex.ts";
import { HOST_SERVICES } from "../support/host-services.ts";
import type { Loose } from "../support/http-client.ts";
import { openProviders } from "../support/provider-registry.ts";
import { testModel } from "../support/service-config.ts";
import { TestService } from "../support/service.ts";
import { callsOf, textsOf, TOOLS } from "./service-on-fake.ts";

const GOOD = "token-good";
const vertex = await FakeProvider.start(vertexWire((token) => token === GOOD));
let granted = GOOD;
const metadata = await startMetadataServer(() => ({ token: granted, seconds: 3599 }));
process.env["GCE_METADATA_HOST"] = metadata.host;

const hostSettings = { type: "vertex", identity: "default", ...VERTEX_PLACE };
const at = { baseUrl: vertex.baseUrl, apiKey: null };
const entries = [
  { name: "claude", family: familyOf("anthropic"), ...at, hostSettings },
  { name: "gemini", family: familyOf("gemini"), ...at, hostSettings },
  { name: "elsewhere", family: familyOf("gemini"), ...at, hostSettings: { ...hostSettings, project: "other-project" } },
  { name: "nowhere", family: familyOf("gemini"), ...at, hostSettings: { ...hostSettings, region: "europe-west99" } },
  {
    name: "expired",
    family: familyOf("anthropic"),
    ...at,
    headers: { authorization: "Bearer token-expired" },
    hostSettings: { type: "vertex", ...VERTEX_PLACE },
  },
];
const UPSTREAM = { claude: "claude-opus-5", gemini: "gemini-3.8-flash" } as const;
const providers = await openProviders(entries);
const model = (id: string, provider: string, upstreamModel: string) =>
  testModel(id, { provider, upstreamModel, defaultOutputTokens: 8_000, hasEndUserField: provider === "claude" });
const service = await TestService.start({
  providers,
  models: [
    ...Object.entries(UPSTREAM).map(([provider, upstream]) => model(`${provider}/good`, provider, upstream)),
    ...Object.keys(UPSTREAM).flatMap((provider) =>
      ["gone", "busy"].map((upstream) => model(`${provider}/${upstream}`, provider, upstream)),
    ),
    model("claude/dated", "claude", "claude-haiku-4-5@20251001"),
    model("elsewhere/good", "elsewhere", "gemini-3.8-flash"),
    model("expired/good", "expired", "claude-opus-5"),
  ],
});
after(async () => {
  delete process.env["GCE_METADATA_HOST"];
  await service.close();
  await providers.close();
  await vertex.close();
  await metadata.close();
});

/** Every request was served. */
function assertServed(): void {
  for (const { error } of vertex.calls) assert.equal(error, null);
}

for (const name of ["claude", "gemini"]) {
  test(`turns of ${name} with calls of one tool go through, and usage counts as at the maker`, async () => {
    vertex.calls.length = 0;
    const asked = metadata.asked();
    const input = [
      '/usage input=100 cached=40 output=7\n/reason First.\n/tool look {"at":"one"}\n/tool look {"at":"two"}',
      "/say Done.",
    ].join("\n/then\n");
    const first = await service.create({ model: `${name}/good`, input, tools: TOOLS, instructions: "Be brief." });
    assert.equal(first.json.status, "completed", first.text);
    assert.deepEqual([first.json.usage.input_tokens, first.json.usage.output_tokens], [100, 7]);
    const calls = callsOf(first);
    assert.deepEqual(
      calls.map(({ arguments: text }) => JSON.parse(text)),
      [{ at: "one" }, { at: "two" }],
    );
    const second = await service.create({
      model: `${name}/good`,
      previous_response_id: first.json.id,
      // Out of order: Vertex AI pairs by the order.
      input: calls
        .toReversed()
        .map(({ call_id, arguments: text }: Loose) => ({ type: "function_call_output", call_id, output: text })),
      tools: TOOLS,
    });
    assert.deepEqual([second.json.status, textsOf(second)], ["completed", ["Done."]], second.text);
    assertServed();
    const results = vertex.calls.at(-1)?.prompt?.items.filter(({ type }) => type === "result") as Loose[];
    assert.deepEqual(
      results.map(({ output }) => output),
      calls.map(({ arguments: text }) => text),
    );
    assert.ok(metadata.asked() - asked <= 1);
  });

  test(`errors of Google in front of ${name} have the codes of the interface`, async () => {
    const create = (id: string) => service.create({ model: id, input: "Hi" });
    const busy = await create(`${name}/busy`);
    assertApiError(busy, { status: 429, code: "provider_rate_limited" });
    assert.equal(busy.headers["retry-after"], "9");
    assertApiError(await create(`${name}/gone`), { status: 502, code: "provider_unavailable" });
  });
}

test("the name of a version is in the path with its @", async () => {
  vertex.calls.length = 0;
  const { json, text } = await service.create({ model: "claude/dated", input: "Hi" });
  assert.equal(json.status, "completed", text);
  assertServed();
});

test("a token that has expired and a project of others are the operator's", async () => {
  for (const id of ["expired/good", "elsewhere/good"]) {
    assertApiError(await service.create({ model: id, input: "Hi" }), { status: 502, code: "provider_unavailable" });
  }
});

test("an error of the model's own has the family's shape", async () => {
  const { json } = await service.create({ model: "claude/good", input: "/fail provider_client_error" });
  assert.deepEqual([json.status, json.error.code], ["failed", "provider_client_error"]);
});

test("doctor asks for the region of the project, with the credentials", async () => {
  const found = await askProviders(entries, { ...HOST_SERVICES, clock: createSystemClock(), proxies: NO_PROXIES });
  const details = found.map(({ keys }) => keys[0]?.detail);
  const { origin } = new URL(vertex.baseUrl);
  assert.deepEqual(
    found.map(({ keys }) => keys[0]?.isOk),
    [true, true, false, false, false],
  );
  assert.deepEqual(details, [
    `${origin} replies (200), the credentials work`,
    `${origin} replies (200), the credentials work`,
    `${origin} gives no access to the project other-project, or has none of that id (403)`,
    `${origin} knows no region europe-west99 (404)`,
    `${origin} rejects the credentials of expired (401)`,
  ]);
});

test("traces name the cloud", () => {
  assert.deepEqual(
    ["claude", "gemini"].map((name) => genAiNameOf(entries, name)),
    ["gcp.vertex_ai", "gcp.vertex_ai"],
  );
});
