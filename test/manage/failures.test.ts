// Failed creates, summed over the management interface and counted in the metrics.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Check } from "typebox/value";
import type { Loose } from "../support/http-client.ts";
import { fails } from "../support/scripted-provider.ts";
import { managedForFile } from "./managed-service.ts";
import { replyShape } from "./reply-shape.ts";

const managed = await managedForFile();
const { service } = managed;
const { organizationId } = await service.newOrganization();
const { secret: key } = await service.newKey(organizationId);
const owner = await managed.newPerson(organizationId, "owner");

async function sums(query = ""): Promise<Loose> {
  await service.gateway.rejections.write();
  const { status, json, text } = await managed.ask(owner, "GET", `/organizations/${organizationId}/failures${query}`);
  assert.equal(status, 200, text);
  assert.equal(Check(replyShape("sumFailures"), json as unknown), true, text);
  return json;
}

const create = async (body: object = {}) =>
  (await service.create({ model: "test/all", input: "Hi", ...body }, { key })).status;

test("failures count however they are delivered, and the failed ones are those of the log", async () => {
  // As an error response in place of a response, and as a failed response.
  for (const code of ["provider_overloaded", "provider_client_error"] as const) {
    service.provider.plays([fails(code)]);
    await create();
  }
  assert.equal(await create({ model: "test/none" }), 400);
  assert.equal(await create({ temperature: "hot" }), 400);
  const { data, total } = await sums();
  const row = (kind: string, code: string, model: string | null, provider: string | null) => ({
    kind,
    code,
    model,
    provider,
    failures: 1,
  });
  const provider = data.find(({ kind }: Loose) => kind === "failed").provider;
  assert.equal(typeof provider, "string");
  assert.deepEqual(
    data.toSorted((a: Loose, b: Loose) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    [
      row("failed", "provider_client_error", "test/all", provider),
      row("rejected", "invalid_input", "test/all", null),
      row("rejected", "invalid_input", null, null),
      row("withdrawn", "provider_overloaded", "test/all", provider),
    ],
  );
  assert.equal(total, 4);
  const { json: log } = await managed.ask(owner, "GET", `/organizations/${organizationId}/turn-groups?by=model`);
  assert.equal(log.total.failed, data.find(({ kind }: Loose) => kind === "failed").failures);

  const metrics = await service.metricsPage.render();
  for (const { kind, code, model, provider: of } of data) {
    const labels = Object.entries({ kind, code, model, provider: of }).filter(([, value]) => value !== null);
    const series = labels.map(([name, value]) => `${name}="${String(value)}"`).join(",");
    assert.ok(metrics.includes(`turngate_failures_total{${series}} 1\n`), series);
  }

  const { data: byHour } = await sums("?by=hour,kind");
  assert.deepEqual(
    byHour.map(({ kind, failures }: Loose) => [kind, failures]),
    [
      ["rejected", 2],
      ["failed", 1],
      ["withdrawn", 1],
    ],
  );
  assert.equal(byHour[0].hour, Math.floor(service.clock.nowMs() / 3_600_000) * 3600);
  assert.deepEqual((await sums(`?to=${byHour[0].hour}`)).total, 0);
  const all = await managed.ask(managed.operator, "GET", "/failures?by=code");
  assert.equal(Check(replyShape("sumAllFailures"), all.json as unknown), true);
  assert.equal(all.json.data.find(({ code }: Loose) => code === "invalid_input").failures, 2);
});

test("a member gets the sums of own keys, whose parts are those of the list of errors", async () => {
  const person = await managed.newMember(organizationId, "member", "ada@acme.test");
  const member = await managed.signedIn(person);
  const body = { name: "of Ada", member: person.id };
  const { json: made } = await managed.ask(owner, "POST", `/organizations/${organizationId}/keys`, { body });
  const secret = String(made.secret);
  const before = await managed.ask(member, "GET", `/organizations/${organizationId}/failures`);
  assert.deepEqual([before.status, before.json.total, before.json.data], [200, 0, []]);
  for (const code of ["provider_overloaded", "provider_client_error"] as const) {
    service.provider.plays([fails(code)]);
    await service.create({ model: "test/all", input: "Hi" }, { key: secret });
  }
  await service.create({ model: "test/none", input: "Hi" }, { key: secret });
  // No failed create.
  await service.request("GET", "/v1/responses/resp_missing", { key: secret });
  await service.gateway.rejections.write();
  const { json, text } = await managed.ask(
    member,
    "GET",
    `/organizations/${organizationId}/failures?by=hour,kind,code`,
  );
  assert.equal(Check(replyShape("sumFailures"), json as unknown), true, text);
  const hour = Math.floor(service.clock.nowMs() / 3_600_000) * 3600;
  assert.deepEqual(
    json.data.toSorted((a: Loose, b: Loose) => (a.kind < b.kind ? -1 : 1)),
    [
      { hour, kind: "failed", code: "provider_client_error", failures: 1 },
      { hour, kind: "rejected", code: "invalid_input", failures: 1 },
      { hour, kind: "withdrawn", code: "provider_overloaded", failures: 1 },
    ],
  );
  assert.equal(json.total, 3);
  const past = await managed.ask(member, "GET", `/organizations/${organizationId}/failures?to=${hour}`);
  assert.equal(past.json.total, 0);
});

test("a withdrawn create is explained with its provider's answer", async () => {
  service.provider.plays([fails("provider_overloaded", { status: 529, requestId: "req_of_provider" })]);
  const { headers } = await service.create({ model: "test/all", input: "Hi" }, { key });
  await service.gateway.rejections.write();
  const path = `/organizations/${organizationId}/rejections/${String(headers["x-request-id"])}`;
  const { json } = await managed.ask(owner, "GET", path);
  assert.deepEqual([json.model, json.provider_status, json.provider_request_id], ["test/all", 529, "req_of_provider"]);
  assert.equal(typeof json.provider, "string");
});

test("groups, hours and their order are checked", async () => {
  for (const query of ["?by=key", "?by=", "?from=7200&to=10", "?kind=failed"]) {
    const { status } = await managed.ask(owner, "GET", `/organizations/${organizationId}/failures${query}`);
    assert.equal(status, 400, query);
  }
});
