// What a crash left running, when what is stored of it is damaged. @spec docs/reliability.md, I-04
import assert from "node:assert/strict";
import { test } from "node:test";
import { type TestService, withService } from "../../support/service.ts";
import { tamper } from "../../support/tables.ts";
import { headOf } from "../../store/fixtures.ts";
import { lookInto } from "../../store/look-into.ts";

/** A turn whose process will not be there to settle it. */
async function leaveRunning({ store, organizationId, keyId }: TestService, id: `resp_${string}`): Promise<void> {
  const begun = await store.beginTurn({
    caller: { organizationId, keyId },
    head: headOf({ id, turnId: id }),
    status: "in_progress",
    placement: { kind: "new" },
    streamed: false,
    claim: null,
    funds: null,
  });
  assert.equal(begun.kind, "begun");
}

const RUNNING = "select count(*) as count from responses where completed_at is null";

test("a turn whose head cannot be read is settled like the others", async () => {
  await withService({}, async (service) => {
    await leaveRunning(service, "resp_headless");
    await leaveRunning(service, "resp_whole");
    tamper(service.path, "update responses set head = '{' where public_id = :id", { id: "resp_headless" });
    await service.restart();
    assert.equal((await service.request("GET", "/v1/responses/resp_whole")).json.error.code, "run_failed");
    assert.equal(countRunning(service), 0);
  });
});

test("a turn that cannot be settled keeps neither the service nor the others from their start", async () => {
  await withService({}, async (service) => {
    await leaveRunning(service, "resp_priceless");
    await leaveRunning(service, "resp_whole");
    tamper(service.path, "update responses set prices = '{' where public_id = :id", { id: "resp_priceless" });
    await service.restart();
    assert.equal((await service.request("GET", "/v1/responses/resp_whole")).json.error.code, "run_failed");
    assert.equal((await service.create({ input: "Hi" })).status, 200);
    assert.equal(countRunning(service), 1);
    assert.ok(
      service.logged.some(
        ({ event, fields }) => event === "turn.lost" && JSON.stringify(fields).includes("resp_priceless"),
      ),
    );
  });
});

function countRunning({ path }: TestService): number {
  return lookInto(path, (database) => Number(database.prepare(RUNNING).get()?.["count"]));
}
