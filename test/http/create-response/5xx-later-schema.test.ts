// A later version migrates the database under a living service: what does not fit any more is a 503, never a 500.
// docs/reliability.md, F-45
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertApiError } from "../../support/assert-api-error.ts";
import { FINISHED, gate } from "../../support/scripted-provider.ts";
import { withService } from "../../support/service.ts";
import { runSql } from "../../support/tables.ts";
import { until } from "../../support/until.ts";

const MIGRATED = "insert into schema_version (version, name, applied_at_ms, checksum) values (9999, 'later', 1, 'x')";

test("renamed columns and tables are 503s with Retry-After, and a running response is not lost", async () => {
  await withService({}, async (service) => {
    const { id } = (await service.create({ input: "Hi" })).json;
    const conversation = (await service.request("POST", "/v1/conversations")).json.id;
    const { opened, open } = gate();
    service.provider.plays([opened, FINISHED]);
    const running = service.create({ input: "Hi" });
    await until("the call", () => service.provider.calls.length === 2);
    await runSql(service, MIGRATED);
    await runSql(service, "alter table responses rename column head to renamed");
    await runSql(service, "alter table items rename to renamed_items");
    const rejected = [
      await service.create({ input: "Hi" }),
      await service.request("GET", `/v1/responses/${id}`),
      await service.request("GET", `/v1/conversations/${conversation}/items`),
      await service.request("POST", `/v1/conversations/${conversation}/items`, {
        body: { items: [{ role: "user", content: "Hi" }] },
      }),
    ];
    for (const reply of rejected) {
      assertApiError(reply, { status: 503, code: "database_unavailable", message: /older than its database/ });
      assert.equal(reply.headers["retry-after"], "1");
    }
    await runSql(service, "alter table api_keys rename to renamed_keys");
    assertApiError(await service.create({ input: "Hi" }), { status: 503, code: "database_unavailable" });
    open();
    // It cannot be stored yet, and its client is told so in time.
    await until("a try", () => service.logged.some(({ event }) => event === "store.unavailable"));
    for (let seconds = 0; seconds < 12; seconds++) await service.clock.advance(1000);
    assert.ok([503, 504].includes((await running).status), (await running).text);
    assert.ok(service.logged.every(({ event }) => event !== "turn.lost"));
    // On the schema as it was, its end is stored.
    for (const [renamed, table] of [
      ["renamed_keys", "api_keys"],
      ["renamed_items", "items"],
    ]) {
      await runSql(service, `alter table ${renamed} rename to ${table}`);
    }
    await runSql(service, "alter table responses rename column renamed to head");
    await runSql(service, "delete from schema_version where version = 9999");
    await service.clock.advance(1000);
    await until("its end", () => service.gateway.occupancy().responsesRunning === 0);
  });
});

test("a service that an incompatible migration has left behind is unready, both interfaces are 503, and its turns end", async () => {
  await withService({}, async (service) => {
    const readyz = `${await service.listenToManagement()}/readyz`;
    const { id } = (await service.create({ input: "Hi" })).json;
    const { opened, open } = gate();
    service.provider.plays([opened, FINISHED]);
    const running = service.create({ input: "Hi" });
    await until("the call", () => service.provider.calls.length === 2);
    assert.equal((await fetch(readyz)).status, 200);
    await runSql(service, MIGRATED);
    assert.equal((await service.request("GET", `/v1/responses/${id}`)).status, 200, "nobody has looked yet");
    await assert.rejects(service.store.ping(), /later version \(9999; this program knows \d+\): replace it/);
    assert.equal((await fetch(readyz)).status, 503);
    for (const reply of [
      await service.create({ input: "Hi" }),
      await service.request("GET", `/v1/responses/${id}`),
      await service.request("GET", "/v1/models"),
      await service.request("POST", "/v1/conversations"),
    ]) {
      assertApiError(reply, { status: 503, code: "database_unavailable", message: /older than its database/ });
      assert.equal(reply.headers["retry-after"], "1");
    }
    const managed = await fetch(readyz.replace("/readyz", "/manage/api/sign-in"));
    assert.deepEqual([managed.status, managed.headers.get("retry-after")], [503, "1"]);
    open();
    assert.equal((await running).json.status, "completed");
    const stored = await runSql(service, "select public_id from responses where completed_at is not null");
    assert.equal(stored.length, 2);
    assert.equal(service.logged.filter(({ event }) => event === "store.left_behind").length, 1);
  });
});

test("after a compatible migration an error is the service's own, a 500", async () => {
  await withService({}, async (service) => {
    await runSql(service, MIGRATED.replace("checksum)", "checksum, compatible)").replace("'x')", "'x', 1)"));
    assert.equal((await service.create({ input: "Hi" })).status, 200);
    await runSql(service, "alter table responses rename column head to renamed");
    assertApiError(await service.create({ input: "Hi" }), { status: 500, code: "database_error" });
  });
});

test("the same error without a migration is the service's own, a 500", async () => {
  await withService({}, async (service) => {
    await runSql(service, "alter table responses rename column head to renamed");
    assertApiError(await service.create({ input: "Hi" }), { status: 500, code: "database_error" });
  });
});
