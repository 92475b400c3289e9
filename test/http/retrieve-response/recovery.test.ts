// Responses that a crash left running, with damaged records. See docs/reliability.md, I-04
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGateway } from "../../../src/flows/gateway.ts";
import { type Store, StoreError } from "../../../src/ports/store/store.ts";
import { type TestService, withService } from "../../support/service.ts";
import { runSql } from "../../support/tables.ts";
import { headOf } from "../../store/fixtures.ts";

/** A response whose process dies before it settles it. */
async function leaveRunning(
  { store, organizationId, keyId }: TestService,
  id: `resp_${string}`,
  status: "in_progress" | "queued" = "in_progress",
): Promise<void> {
  const begun = await store.beginResponse({
    caller: { organizationId, keyId },
    head: headOf({ id, turnId: id }),
    status,
    placement: { kind: "new" },
    calls: null,
    streamed: false,
    claim: null,
    requestId: "req_1",
    endUser: null,
    label: null,
    funds: null,
  });
  assert.equal(begun.kind, "begun");
}

const RUNNING = "select count(*) as count from responses where completed_at is null";

test("a response whose record cannot be read is settled like the others", async () => {
  await withService({}, async (service) => {
    await leaveRunning(service, "resp_headless");
    await leaveRunning(service, "resp_whole");
    await runSql(service, "update responses set head = '{' where public_id = :id", { id: "resp_headless" });
    await service.restart();
    assert.equal((await service.request("GET", "/v1/responses/resp_whole")).json.error.code, "run_failed");
    assert.equal(await countRunning(service), 0);
  });
});

test("a response says whether it was running or queued when its process died", async () => {
  await withService({}, async (service) => {
    await leaveRunning(service, "resp_running");
    await leaveRunning(service, "resp_queued", "queued");
    await service.restart();
    const messageOf = async (id: string) => (await service.request("GET", `/v1/responses/${id}`)).json.error.message;
    assert.match(await messageOf("resp_running"), /stopped while this response was running; its request was not sent/);
    assert.match(await messageOf("resp_queued"), /stopped while this response was queued; it was not sent/);
  });
});

test("a response that cannot be settled keeps neither the service nor the others from their start", async () => {
  await withService({}, async (service) => {
    await leaveRunning(service, "resp_priceless");
    await leaveRunning(service, "resp_whole");
    await runSql(service, "update responses set prices = '{' where public_id = :id", { id: "resp_priceless" });
    await service.restart();
    assert.equal((await service.request("GET", "/v1/responses/resp_whole")).json.error.code, "run_failed");
    assert.equal((await service.create({ input: "Hi" })).status, 200);
    assert.equal(await countRunning(service), 1);
    assert.ok(
      service.logged.some(
        ({ event, fields }) => event === "turn.lost" && JSON.stringify(fields).includes("resp_priceless"),
      ),
    );
  });
});

test("recovery rejects when the store is unavailable: possible losses are not ignored", async () => {
  await withService({}, async (service) => {
    await leaveRunning(service, "resp_left");
    const services = service.manageServices;
    const head = headOf({ id: "resp_left" });
    for (const kind of ["unavailable", "lost"] as const) {
      const rejects = () => Promise.reject(new StoreError(kind, "away"));
      const recoverWith = (broken: Partial<Store>) =>
        createGateway(
          {
            ...services,
            store: { ...services.store, listOrphans: async () => [{ ...head, dispatchedAtMs: null }], ...broken },
          },
          { name: "test", version: "0" },
        ).recover();
      for (const broken of [{ listOrphans: rejects }, { settleResponse: rejects }]) {
        await assert.rejects(recoverWith(broken), (error) => error instanceof StoreError && error.kind === kind);
      }
      assert.equal(await countRunning(service), 1);
    }
    await service.restart();
    assert.equal(await countRunning(service), 0);
  });
});

async function countRunning(service: TestService): Promise<number> {
  return Number((await runSql(service, RUNNING))[0]?.["count"]);
}
