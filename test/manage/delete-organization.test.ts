// The deletion of an organization: nobody gets in, nothing of it is left in any table, the books and the audit log stay
// whole, and nothing else changes. docs/decisions/organization-deletion.md
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { verifyAudit } from "../../src/flows/accounts/verify-audit.ts";
import { TESTS } from "../support/actor.ts";
import { TEST_ENGINE } from "../support/engine.ts";
import type { Loose } from "../support/http-client.ts";
import { LiveStream } from "../support/live-stream.ts";
import { gate, says } from "../support/scripted-provider.ts";
import { dumpTables, type Tables } from "../support/tables.ts";
import { until } from "../support/until.ts";
import { countFilesWith } from "../store/raw-database.ts";
import { addFullOrganization, FULL_MODELS, type FullOrganization, PRICED } from "./full-organization.ts";
import { ManagedService, PASSWORD } from "./managed-service.ts";

const CANARY = "canary-7f3a9c";

/**
 * Tables that may have rows of a deleted organization: those of the decision, and allowances, which are figures alone.
 */
const KEPT: ReadonlySet<string> = new Set([
  "api_keys",
  "responses",
  "threads",
  "balances",
  "ledger_transfers",
  "usage_by_hour",
  "failures_by_hour",
  "audit_log",
  "allowances",
  "stream_limits",
  "stream_places",
]);

let managed: ManagedService;
beforeEach(async () => {
  managed = await ManagedService.start({ metadataKey: "note", models: FULL_MODELS });
});
afterEach(() => managed.close());

const nothing = (tables: Tables) =>
  Object.entries(tables).flatMap(([table, rows]) =>
    rows.flatMap((row) =>
      Object.entries(row).flatMap(([column, value]) => (String(value).includes(CANARY) ? [`${table}.${column}`] : [])),
    ),
  );

const remove = ({ of }: FullOrganization, confirm = `${CANARY} Inc`) =>
  managed.ask(managed.operator, "POST", `${of}/delete`, { body: { confirm } });
const shown = async ({ of }: FullOrganization): Promise<Loose> => (await managed.ask(managed.operator, "GET", of)).json;

async function erase(made: FullOrganization): Promise<void> {
  const stop = managed.service.gateway.startHousekeeping();
  await until("the erasure", async () => (await shown(made)).erased_at !== null);
  await stop();
}

/** The rows of an organization in all tables, and those of tables without one. */
function rowsOf(tables: Tables, organizationId: string) {
  const own = Object.entries(tables).map(([table, rows]) => [
    table,
    rows.filter((row) => !("organization_id" in row) || row["organization_id"] === organizationId),
  ]);
  const { organizations, threads, items, key_secrets: secrets, ...others } = Object.fromEntries(own);
  const ids = new Set(threads.map((row: Loose) => row["id"]));
  return {
    organization: organizations.find((row: Loose) => row["id"] === organizationId),
    threads,
    items: items.filter((row: Loose) => ids.has(row["thread_id"])),
    responses: others["responses"],
    claims: others["claims"],
    transfers: others["ledger_transfers"],
    usage: others["usage_by_hour"],
    members: others["members"],
    tokens: others["admin_tokens"],
    audit: others["audit_log"],
    events: others["events"],
    hasSecrets: secrets.length > 0,
  };
}

test("nothing of a deleted organization is left; another one, the books and the audit log are whole", async () => {
  const { service, store } = managed;
  const made = await addFullOrganization(managed, CANARY);
  const other = await addFullOrganization(managed, "harmless");
  const before = await dumpTables(service);
  const where = new Set(nothing(before));
  for (const column of ["organizations.name", "members.email", "items.body", "responses.head", "audit_log.after"])
    assert.ok(where.has(column), `control: ${column}`);
  const usageOf = () => managed.ask(managed.operator, "GET", `${made.of}/usage`).then(({ json }) => json.data[0]);
  const usage = await usageOf();
  assert.ok(usage.credits > 0, "control: it has paid");

  const reply = await remove(made);
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual([reply.json.name, reply.json.erased_at], [made.id, null]);
  // At once, before anything is erased.
  assert.equal((await made.create({ input: "hello" })).json.error.code, "invalid_api_key");
  assert.equal((await managed.ask(made.person, "GET", "/session")).status, 401);
  assert.equal((await managed.ask(made.token, "GET", made.of)).status, 401);
  const signIn = { body: { email: `${CANARY}@test.test`, password: PASSWORD } };
  assert.equal((await managed.ask(null, "POST", "/session", signIn)).status, 401);

  await erase(made);
  const after = await dumpTables(service);
  assert.deepEqual(nothing(after), []);
  const kept = Object.keys(after).filter((table) => after[table]?.some((row) => row["organization_id"] === made.id));
  assert.deepEqual(
    kept.filter((table) => !KEPT.has(table)),
    [],
    "a table that docs/decisions/organization-deletion.md does not name",
  );
  if (TEST_ENGINE === "sqlite") assert.equal(countFilesWith(service.path, CANARY), 0);
  assert.deepEqual(rowsOf(after, other.id), rowsOf(before, other.id));
  assert.equal((await other.ask("GET", `/v1/responses/${other.first.id}`)).status, 200);

  assert.deepEqual(await usageOf(), usage);
  assert.deepEqual((await store.reconcile({ organizationId: null })).differences, []);
  const logged = (await managed.ask(managed.operator, "GET", `${made.of}/turns`)).json.data;
  assert.equal(logged.length, 5);
  assert.ok(logged.every((turn: Loose) => turn.input_tokens >= 0 && turn.email === null));
  const verdict = await verifyAudit(store, String(before["audit_log"]?.at(-1)?.["hash"]));
  assert.deepEqual([verdict.brokenAt, verdict.hasExpected], [null, true]);
  const entries = (await managed.ask(managed.operator, "GET", `${made.of}/audit`)).json.data;
  assert.deepEqual(
    entries.slice(0, 3).map(({ action }: Loose) => action),
    ["organization.erase", "organization.redact", "organization.delete"],
  );
  assert.ok(entries.slice(3).every(({ redacted, before: was, after: is }: Loose) => redacted && !was && !is));
});

test("erasure goes on after a restart, and two processes that erase at once do no harm", async () => {
  const made = await addFullOrganization(managed, CANARY);
  await remove(made);
  const piece = () =>
    managed.store.eraseOrganization({ by: TESTS, organizationId: made.id, batch: 3, mayBlockWrites: false });
  for (let pieces = 0; pieces < 3; pieces++) assert.deepEqual(await piece(), { erased: 3, state: "more" });
  assert.notDeepEqual(nothing(await dumpTables(managed.service)), [], "control: something is left");
  await managed.service.restart();
  const finish = async () => {
    while ((await piece()).state !== "done");
  };
  await Promise.all([finish(), finish()]);
  assert.deepEqual(nothing(await dumpTables(managed.service)), []);
  assert.deepEqual(await piece(), { erased: 0, state: "done" });
  assert.equal((await verifyAudit(managed.store, null)).brokenAt, null);
  const actions = (await managed.store.listAudit({ organizationId: made.id, before: null, limit: 100 })).map(
    ({ action }) => action,
  );
  assert.equal(actions.filter((action) => action === "organization.erase").length, 1);
  assert.ok(actions.filter((action) => action === "organization.redact").length > 1, "in pieces");
});

test("the running responses of an organization that the command line deletes are cancelled within a second, others go on", async () => {
  const { service, store } = managed;
  const made = await addFullOrganization(managed, CANARY);
  const other = await addFullOrganization(managed, "harmless");
  const before = service.provider.calls.length;
  const { opened, open } = gate();
  const body = { model: PRICED.id, input: CANARY };
  const streamOf = async ({ key }: FullOrganization) => {
    service.provider.plays([opened, ...(says(CANARY) as never[])]);
    return LiveStream.open(service, body, { key });
  };
  const stream = await streamOf(made);
  const otherStream = await streamOf(other);
  await until("both provider calls", () => service.provider.calls.length === before + 2);
  const stop = service.gateway.startHousekeeping();
  // As `turngate orgs delete` does, beside the service.
  await store.deleteOrganization({ by: TESTS, organizationId: made.id });
  service.clock.advance(1000);
  await stream.closed;
  assert.equal(stream.events.at(-1)?.data.response.status, "cancelled");
  assert.equal(service.provider.aborted, 1, "its provider call is closed, the other one is not");
  open();
  await otherStream.closed;
  assert.equal(otherStream.events.at(-1)?.data.response.status, "completed");
  await stop();
});

test("running responses are cancelled by the operation; the end of the erasure waits for them", async () => {
  const made = await addFullOrganization(managed, CANARY);
  const { opened, open } = gate();
  managed.service.provider.plays([opened, ...(says(CANARY) as never[])]);
  const body = { model: PRICED.id, input: CANARY };
  const stream = await LiveStream.open(managed.service, body, { key: made.key });
  await managed.store.deleteOrganization({ by: TESTS, organizationId: made.id });
  const state = async () => {
    for (;;) {
      const piece = { by: TESTS, organizationId: made.id, batch: 100, mayBlockWrites: false };
      const { state: reached } = await managed.store.eraseOrganization(piece);
      if (reached !== "more") return reached;
    }
  };
  assert.equal(await state(), "waiting");
  // The store alone cancels nothing: the operation does, also for an organization that is deleted already.
  assert.equal((await remove(made)).status, 200);
  await stream.closed;
  await until("the turn's end", async () => (await state()) === "done");
  assert.deepEqual(nothing(await dumpTables(managed.service)), []);
  assert.deepEqual((await managed.store.reconcile({ organizationId: null })).differences, []);
  open();
});

test("a deletion has to be confirmed by name; it is repeated without an error, and nothing else changes what is deleted", async () => {
  const made = await addFullOrganization(managed, CANARY);
  const unconfirmed = await remove(made, CANARY);
  assert.deepEqual([unconfirmed.status, unconfirmed.json.error.param], [400, "confirm"]);
  assert.equal((await shown(made)).deleted_at, undefined);
  const owner = await managed.newProgram(made.id, "owner");
  const asOwner = await managed.ask(owner, "POST", `${made.of}/delete`, { body: { confirm: `${CANARY} Inc` } });
  assert.equal(asOwner.status, 403);

  const first = await remove(made);
  managed.service.clock.advance(5000);
  assert.deepEqual((await remove(made)).json, first.json);
  const changes: readonly (readonly [path: string, body?: object])[] = [
    ["/resume"],
    ["", { name: "Back" }],
    ["/credits", { amount: 1 }],
    ["/keys", { name: "another" }],
    ["/members", { email: "a@test.test", role: "owner" }],
    ["/tokens", { name: "another", role: "owner" }],
    ["/budgets", { scope: "organization", limit: 1 }],
    ["/retention", { days: 3 }],
  ];
  for (const [path, body] of changes) {
    const options = body === undefined ? {} : { body };
    const { status, json } = await managed.ask(managed.operator, "POST", made.of + path, options);
    assert.deepEqual([status, json.error.message], [400, `The organization ${made.id} has been deleted.`], path);
  }
  const listed = async (query = "") =>
    (await managed.ask(managed.operator, "GET", `/organizations${query}`)).json.data.map(({ id }: Loose) => id);
  assert.ok(!(await listed()).includes(made.id));
  assert.deepEqual(await listed("?deleted=true"), [made.id]);
  const again = { body: { name: `${CANARY} Inc` } };
  assert.equal((await managed.ask(managed.operator, "POST", "/organizations", again)).status, 200, "its name is free");
});
