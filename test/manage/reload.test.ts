// POST /manage/api/configuration/reload: new responses are served by what is read, or nothing changes.
// docs/operations.md (Reload)
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { Config } from "../../src/config/config.ts";
import { OperatorError } from "../../packages/kit/operator-error.ts";
import { type Store, StoreError } from "../../src/ports/store/store.ts";
import { TEST_MODELS, testModel } from "../support/service-config.ts";
import { FINISHED } from "../support/scripted-provider.ts";
import { managedForFile } from "./managed-service.ts";

/** A model whose input has this price. */
const priced = (input: number, id = "test/priced") =>
  testModel(id, { prices: { input, output: 0, cached_input: input, cache_write: input } });

/** What a reload reads, made of the configuration that the service started with. */
let next: (started: Config) => Promise<Config>;
let isStoreDown = false;

const managed = await managedForFile({
  models: [...TEST_MODELS, priced(1000)],
  reread: (started) => next(started),
  wrapStore: (store): Store => ({
    ...store,
    logReload: (reload) =>
      isStoreDown ? Promise.reject(new StoreError("unavailable", "out of reach")) : store.logReload(reload),
  }),
});
beforeEach(async () => {
  isStoreDown = false;
  next = async (started) => started;
  await reload();
  managed.service.logged.length = 0;
});

const reload = () => managed.ask(managed.operator, "POST", "/configuration/reload");
const listModels = async () => {
  const { json } = await managed.service.request("GET", "/v1/models");
  return json.data.map(({ id }: { id: string }) => id);
};
const lastEntry = async () => (await managed.store.listAudit({ organizationId: null, before: null, limit: 1 }))[0];
const loggedEvents = () => managed.service.logged.filter(({ event }) => event.startsWith("configuration."));

test("new responses are served by the new catalog, and the audit log says what changed", async () => {
  next = async (started) => ({ ...started, models: [...TEST_MODELS, testModel("test/new")], warnings: ["a warning"] });
  const { status, json } = await reload();
  assert.deepEqual(
    [status, json],
    [200, { changed: ["models.test/priced", "models.test/new"], needs_restart: [], warnings: ["a warning"] }],
  );
  assert.ok((await listModels()).includes("test/new"));
  const { json: shown } = await managed.ask(managed.operator, "GET", "/models");
  assert.ok(shown.data.some(({ id }: { id: string }) => id === "test/new"));
  assert.equal((await managed.service.create({ model: "test/new", input: "Hello" })).status, 200);
  assert.equal((await managed.service.create({ model: "test/priced", input: "Hello" })).status, 400);
  const entry = await lastEntry();
  assert.deepEqual([entry?.action, entry?.by.kind, entry?.organizationId], ["configuration.reload", "token", null]);
  assert.match(entry?.target ?? "", /:\d+$/);
  assert.deepEqual(entry?.after, { changed: ["models.test/priced", "models.test/new"], needs_restart: [] });
  assert.deepEqual(
    loggedEvents().map(({ level, event }) => [level, event]),
    [
      ["warn", "configuration.warning"],
      ["info", "configuration.reloaded"],
    ],
  );
});

test("a running response keeps its model and its price; the next one has the new price", async () => {
  const charge = async (create: () => Promise<unknown>) => {
    const full = await balance();
    await create();
    return full - (await balance());
  };
  const balance = async () =>
    (await managed.store.findOrganization({ idOrName: managed.service.organizationId }))?.creditsNano ?? 0n;
  const body = { model: "test/priced", input: "Hello" };
  const fixed = await charge(() => managed.service.create(body));
  assert.ok(fixed > 0n);

  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  managed.service.provider.plays(() => {
    begin();
    return [mayEnd, FINISHED];
  });
  const during = await charge(async () => {
    const running = managed.service.create(body);
    await begun;
    next = async (started) => ({ ...started, models: [...TEST_MODELS, priced(2000)] });
    assert.deepEqual((await reload()).json.changed, ["models.test/priced"]);
    end();
    return running;
  });
  assert.equal(during, fixed, "the running turn is charged the price that it began with");
  assert.equal(await charge(() => managed.service.create(body)), fixed * 2n);
});

test("an invalid configuration changes nothing, and answer and log say why", async () => {
  next = async () => Promise.reject(new OperatorError("turngate.yaml:3: models[0].id is 7; allowed: a string."));
  const models = await listModels();
  const entry = await lastEntry();
  const { status, json } = await reload();
  assert.deepEqual([status, json.error.code], [400, "invalid_input"]);
  assert.equal(
    json.error.message,
    "The configuration is invalid: turngate.yaml:3: models[0].id is 7; allowed: a string.",
  );
  assert.deepEqual(await listModels(), models);
  assert.deepEqual(await lastEntry(), entry);
  const [line] = loggedEvents();
  assert.deepEqual([line?.level, line?.event], ["error", "configuration.reload_failed"]);
  assert.deepEqual(line?.fields, { reason: "turngate.yaml:3: models[0].id is 7; allowed: a string." });
});

test("a price that cannot be charged is found before anything is taken", async () => {
  next = async (started) => ({ ...started, models: [...TEST_MODELS, priced(1e18, "test/dear")] });
  const { status, json } = await reload();
  assert.equal(status, 400);
  assert.match(json.error.message, /The price of test\/dear is too high/);
  assert.ok(!(await listModels()).includes("test/dear"));
});

test("what needs a restart is named by every reload until then, and is not taken", async () => {
  next = async (started) => ({ ...started, port: 4711, limits: { ...started.limits, concurrent_turns: 3 } });
  for (const _ of [1, 2]) {
    const { json } = await reload();
    assert.deepEqual(json, { changed: [], needs_restart: ["server.port", "limits.concurrent_turns"], warnings: [] });
  }
  assert.notEqual(managed.service.manageServices.limits.concurrent_turns, 3);
});

test("a reload that changes nothing adds no entry to the audit log", async () => {
  const entry = await lastEntry();
  assert.deepEqual((await reload()).json, { changed: [], needs_restart: [], warnings: [] });
  assert.deepEqual(await lastEntry(), entry);
});

test("nothing is taken that the audit log cannot record", async () => {
  isStoreDown = true;
  next = async (started) => ({ ...started, models: TEST_MODELS });
  const { status, json } = await reload();
  assert.deepEqual([status, json.error.code], [503, "database_unavailable"]);
  assert.ok((await listModels()).includes("test/priced"));
});

test("reloads run one after the other, so that the last reading counts", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: reading, resolve: beginReading } = Promise.withResolvers<void>();
  let readings = 0;
  next = async (started) => {
    readings++;
    beginReading();
    await released;
    return { ...started, models: [...TEST_MODELS, testModel("test/first")] };
  };
  const first = reload();
  const second = reload();
  await reading;
  next = async (started) => ({ ...started, models: [...TEST_MODELS, testModel("test/second")] });
  release();
  await Promise.all([first, second]);
  const models = await listModels();
  assert.deepEqual([readings, models.includes("test/first"), models.includes("test/second")], [1, false, true]);
});
