// A family is a folder and one entry of the list: this one joins the service without a change elsewhere.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Check } from "typebox/value";
import { buildCatalog } from "../../../src/config/catalog.ts";
import { configFileSchema } from "../../../src/config/config-schema.ts";
import { readConfig } from "../../../src/config/config.ts";
import { FAMILIES } from "../../../src/providers/families.ts";
import { HOST_SERVICES } from "../../support/host-services.ts";
import { createKeyCheck } from "../../../src/providers/key-checks.ts";
import { genAiNameOf } from "../../../src/providers/registry.ts";
import { withService } from "../../support/service.ts";
import { TOY } from "./family.ts";
import { openProviders } from "../../support/provider-registry.ts";

const families = [...FAMILIES, TOY];
const folder = mkdtempSync(join(tmpdir(), "turngate-toy-"));
after(() => rmSync(folder, { recursive: true }));

function read(source: string) {
  const file = join(folder, "turngate.yaml");
  writeFileSync(file, source);
  return readConfig({ TURNGATE_CONFIG: file }, families);
}

test("a turn runs on a new family, which its environment variable turns on", async () => {
  const config = await readConfig({ TOY_API_KEY: "k", TURNGATE_CONFIG: "" }, families);
  assert.deepEqual(
    config.providers.map(({ name, because }) => [name, because]),
    [
      ["toy", "TOY_API_KEY"],
      ["simulated", "no configuration file"],
    ],
  );
  const { models } = await buildCatalog(config);
  const providers = await openProviders(config.providers);
  await withService({ providers, models }, async (service) => {
    const { status, json } = await service.create({ model: "toy/shout", input: "hello" });
    assert.equal(status, 200);
    assert.equal(json.output[0].content[0].text, "HELLO");
    const { events } = await service.stream({ model: "toy/shout", input: "again" });
    assert.equal(events.at(-1)?.event, "response.completed");
  });
  await providers.close();
});

test("turngate.yaml configures a new family, and its models are limited to the settings of its wire", async () => {
  const { providers, models } = await read("providers: {mine: {type: toy, api_key: k}}\nmodels: [{id: mine/loud}]\n");
  assert.deepEqual([providers[0]?.family, models[0]?.id], [TOY, "mine/loud"]);
  assert.deepEqual([genAiNameOf(providers, "mine"), genAiNameOf(providers, "other")], ["toy", "other"]);
  const check = await createKeyCheck(providers[0]!, HOST_SERVICES);
  assert.deepEqual([check?.url.href, check?.headers], ["https://toy.example/models", ["x-toy-key", "k"]]);
  await assert.rejects(read("providers: {mine: {type: toy}}\n"), /providers\.mine lacks api_key/);
  const model = (fields: string) =>
    `providers: {mine: {type: toy, api_key: k}}\nmodels: [{id: mine/loud, ${fields}}]\n`;
  await assert.rejects(read(model("group: [temperature]")), /providers of type toy/);
  await assert.rejects(read(model("thinking: 1000")), /providers of type toy/);
  await assert.rejects(read(model("end_user_field: true")), /providers of type toy/);
  await assert.rejects(read(model("replay_reasoning: true")), /providers of type toy/);
});

test("the schema of turngate.yaml allows the families of the list, and no other", async () => {
  const file = { providers: { mine: { type: "toy", api_key: "k" } } };
  assert.ok(Check(configFileSchema(families), file));
  assert.ok(!Check(configFileSchema(FAMILIES), file));
});
