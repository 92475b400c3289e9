// An organization's retention over the management interface: who sets it, within which bounds, and what it does. docs/decisions/retention.md
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Identity, managedForFile } from "./managed-service.ts";
import { until } from "../support/until.ts";

const DAY_MS = 24 * 3_600_000;

const managed = await managedForFile({ limits: { retention_days: 90, idempotency_retention_hours: 30 } });
const path = `/organizations/${managed.service.organizationId}/retention`;

const set = (who: Identity, days: number | null) => managed.ask(who, "POST", path, { body: { days } });

test("an owner sets a retention within the service's, an admin does not; every role sees it", async () => {
  const { organizationId } = managed.service;
  const [owner, admin, member] = await Promise.all(
    (["owner", "admin", "member"] as const).map((role) => managed.newProgram(organizationId, role)),
  );
  const shown = async (who: Identity) => (await managed.ask(who, "GET", path)).json;
  assert.ok(owner && admin && member);
  assert.deepEqual(await shown(member), { days: null, service_days: 90, effective_days: 90 });
  assert.equal((await set(admin, 30)).status, 403);
  const own = { days: 30, service_days: 90, effective_days: 30 };
  assert.deepEqual((await set(owner, 30)).json, own);
  assert.deepEqual(await shown(member), own);
  assert.deepEqual((await set(owner, null)).json, { days: null, service_days: 90, effective_days: 90 });
});

test("a longer retention than the service's, or a shorter one than an idempotency key's, is a 400", async () => {
  for (const days of [91, 1]) {
    const { status, json } = await set(managed.operator, days);
    assert.deepEqual([status, json.error.code, json.error.param], [400, "invalid_input", "days"]);
    assert.equal(json.error.message, `days is ${days}; allowed: 2 to 90, or null for the service's retention.`);
  }
});

test("housekeeping deletes what was not used for so long: a 404 as for any deleted response", async () => {
  const { service } = managed;
  const answer = async () => (await service.create({ input: "hello" })).json.id;
  await set(managed.operator, 30);
  const old = await answer();
  await service.clock.advance(29 * DAY_MS);
  const young = await answer();
  await service.clock.advance(DAY_MS + 2 * 3_600_000);
  const stop = service.gateway.startHousekeeping();
  const statusOf = async (id: string) => (await service.request("GET", `/v1/responses/${id}`)).status;
  await until("the old response to be gone", async () => (await statusOf(old)) === 404);
  await stop();
  assert.equal(await statusOf(young), 200);
  const { status, json } = await service.create({ input: "more", previous_response_id: old });
  assert.deepEqual([status, json.error.code], [404, "resource_not_found"]);
  assert.match(await service.metricsPage.render(), /^turngate_histories_expired_total 1$/m);
  const lines = service.logged.filter(({ event }) => event === "histories.expired").map(({ fields }) => fields);
  assert.deepEqual(lines, [{ organization: service.organizationId, histories: 1 }]);
});
