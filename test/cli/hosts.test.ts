// Providers at hosts, as an operator meets them: `config check`, `doctor`, and a service that asks its hosts after a start and a reload.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { FakeProvider } from "../support/fake-provider.ts";
import { until } from "../support/until.ts";
import { AZURE_KEY, azureWire, startIdentityEndpoint } from "../providers/openai/azure-server.ts";
import { commandLineForFile } from "./command-line.ts";
import { startService } from "./service-process.ts";

const line = commandLineForFile();
const azure = await FakeProvider.start(azureWire((token) => token === "good"));
/** It stays silent. */
const identity = await startIdentityEndpoint(() => {});
after(async () => {
  await azure.close();
  await identity.close();
});

const write = (text: string) => writeFileSync(join(line.folder, "turngate.yaml"), text);
const azureAt = (name: string, fields: string, host = "") =>
  `  ${name}: { type: openai, base_url: "${azure.baseUrl}", ${fields} host: { type: azure${host} } }\n`;
const MODEL = "models: [{ id: a/gpt-eu, prices: { input: 1 } }]\n";

test("a fault of a host, a circle of aliases and weights of zero stop `config check` and a start, with their place", async () => {
  const secret = '{"type":"service_account","private_key":"CANARY"}';
  const vertex = "  v: { type: gemini, host: { type: vertex, project: my-project, region: eu } }\n";
  const target = (model: string) => `{ provider: a, upstream_model: ${model}, weight: 0 }`;
  const key = `api_key: ${AZURE_KEY},`;
  const rows: readonly (readonly [text: string, expected: RegExp])[] = [
    [
      `providers:\n${vertex}`,
      /turngate\.yaml:2: providers\.v\.host needs GOOGLE_APPLICATION_CREDENTIALS, which holds the credentials; write them to a file/,
    ],
    [
      `providers:\n${azureAt("a", key)}${MODEL}aliases: { x: y, y: x }\n`,
      /turngate\.yaml: aliases\.x leads back to itself: x → y → x\.$/m,
    ],
    [
      `providers:\n${azureAt("a", key)}models:\n  - { id: t/x, targets: [${target("one")}, ${target("two")}] }\n`,
      /turngate\.yaml:4: models\[0\]\.targets\[0\] has order 1, in which all weights are 0: give one of them a weight\.$/m,
    ],
  ];
  for (const [text, expected] of rows) {
    write(text);
    for (const words of [["config", "check"], ["doctor"], ["serve"]]) {
      // oxlint-disable-next-line no-await-in-loop -- one command after the other
      const { code, stdout, stderr } = await line.run(words, { GOOGLE_APPLICATION_CREDENTIALS: secret, PORT: "0" });
      assert.notEqual(code, 0, words.join(" "));
      assert.match((stdout + stderr).replaceAll(/ +/g, " "), expected, words.join(" "));
      assert.doesNotMatch(stdout + stderr, /CANARY/);
    }
  }
});

test("a service asks its hosts after a start and a reload, and logs a warning without secrets", async () => {
  write(`providers:\n${azureAt("a", "api_key: CANARY-wrong,")}${MODEL}`);
  const service = await startService(line);
  const faults = () =>
    service
      .said()
      .split("\n")
      .filter((text) => text.includes('"provider.host_fault"'))
      .map((text) => JSON.parse(text) as { level: string; provider: string; reason: string });
  const { origin } = new URL(azure.baseUrl);
  await until("the first warning", () => faults().length === 1);
  assert.partialDeepStrictEqual(faults()[0], {
    level: "warn",
    provider: "a",
    reason: `${origin} rejects the key of a (401)`,
  });
  write(`providers:\n${azureAt("a", `api_key: ${AZURE_KEY},`)}${azureAt("b", "api_key: CANARY-other,")}${MODEL}`);
  service.child.kill("SIGHUP");
  await until("the second warning", () => faults().length === 2);
  assert.equal(faults()[1]?.reason, `${origin} rejects the key of b (401)`);
  service.child.kill("SIGTERM");
  assert.equal((await service.ended).code, 0);
  assert.doesNotMatch(service.said() + service.greeted(), /CANARY/);
});

test("a silent credential service delays neither a start nor its stop", async () => {
  write(`providers:\n${azureAt("a", "", ", identity: managed")}${MODEL}`);
  const variables = { IDENTITY_ENDPOINT: identity.url, IDENTITY_HEADER: "h" };
  const service = await startService(line, variables);
  await until("it is asked", () => identity.asked.length > 0);
  const sinceMs = performance.now();
  service.child.kill("SIGTERM");
  assert.equal((await service.ended).code, 0);
  assert.ok(performance.now() - sinceMs < 8_000);
  assert.doesNotMatch(service.said(), /host_fault/);
});
