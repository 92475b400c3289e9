// Metrics by organization, from requests to the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { listBusiest } from "../../../src/system/metrics/organizations.ts";
import { TESTS } from "../../support/actor.ts";
import { testModel } from "../../support/service-config.ts";
import { withService } from "../../support/service.ts";
import { parseExposition, valueOf } from "./exposition.ts";

const PRICED = [testModel("test/priced", { prices: { input: 5, cached_input: 0.5, cache_write: 6.25, output: 25 } })];

test("what two organizations do is counted apart, their rejected requests too", async () => {
  await withService({ metricsByOrganization: true, models: PRICED }, async (service) => {
    const { organizationId: other } = await service.newOrganization();
    const { secret: key } = await service.newKey(other);
    const body = { model: "test/priced", input: "hello" };
    await service.create(body);
    await service.create(body, { key });
    await service.create(body, { key });
    await service.create({ ...body, input: 5 }, { key });
    await service.create(body, { key: "sk_wrong" });
    const text = await service.metricsPage.render();
    const count = (name: string, labels: Readonly<Record<string, string>>) =>
      valueOf(text, `turngate_organization_${name}`, labels);
    for (const [organization, turns] of [
      [service.organizationId, 1],
      [other, 2],
    ] as const) {
      assert.equal(count("turns_total", { organization, status: "completed" }), turns);
      assert.equal(count("tokens_total", { organization, kind: "input" }), 7 * turns);
      const found = await service.store.readUsage({
        organizationId: organization,
        by: [],
        fromDay: null,
        toDay: null,
        limit: 1,
      });
      const charged = Number(found[0]?.chargedNano) / 1e9;
      assert.ok(charged > 0);
      assert.ok(Math.abs(count("credits_charged_total", { organization }) - charged) < 1e-9);
    }
    const { name = "" } = (await service.store.findOrganization({ idOrName: other })) ?? {};
    assert.equal(count("info", { organization: other, name }), 1);
    assert.equal(count("info", { organization: "other", name: "other" }), 1);
    await service.store.updateOrganization({ by: TESTS, organizationId: other, name: "renamed" });
    await service.clock.advance(5000);
    const later = await service.metricsPage.render();
    assert.equal(valueOf(later, "turngate_organization_info", { organization: other, name: "renamed" }), 1);
    assert.ok(!later.includes(`name="${name}"`));
    assert.deepEqual(parseExposition(text).get("turngate_organization_refusals_total")?.samples, [
      {
        name: "turngate_organization_refusals_total",
        labels: { organization: other, code: "invalid_input" },
        value: 1,
      },
    ]);
  });
});

test("a start gives places to the organizations that were charged, the busiest first", async () => {
  await withService({ models: PRICED }, async (service) => {
    const { organizationId: busiest } = await service.newOrganization();
    await service.newOrganization();
    const { secret: key } = await service.newKey(busiest);
    const body = { model: "test/priced", input: "hello" };
    await service.create(body);
    await service.create(body, { key });
    await service.create(body, { key });
    const { store, clock, log } = service.manageServices;
    const found: string[] = [];
    await listBusiest({ list: (ids) => found.push(...ids) }, { store, clock, log });
    assert.deepEqual(found, [busiest, service.organizationId]);
  });
});

test("without an answer of the store a start goes on, and the log says so", async () => {
  await withService({ metricsByOrganization: true }, async (service) => {
    const { store, clock, log } = service.manageServices;
    const fails = { ...store, readUsage: () => Promise.reject(new Error("too slow")) };
    await listBusiest({ list: () => assert.fail("nothing is known") }, { store: fails, clock, log });
    assert.equal(service.logged.at(-1)?.event, "metrics.organizations_unknown");
    await service.create({ input: "hello" });
    const labels = { organization: service.organizationId, status: "completed" };
    assert.equal(valueOf(await service.metricsPage.render(), "turngate_organization_turns_total", labels), 1);
  });
});

test("unless they are on, no metric names an organization", async () => {
  await withService({}, async (service) => {
    await service.create({ input: "hello" });
    await service.create({ input: 5 });
    const text = await service.metricsPage.render();
    assert.ok(text.includes("turngate_turns_total{"));
    assert.ok(!text.includes("organization="));
    assert.ok(!text.includes(service.organizationId));
  });
});
