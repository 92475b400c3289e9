// A response that is cancelled or deleted while it ends. @spec states-and-transitions
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Store } from "../../../src/ports/store/store.ts";
import { aroundStore } from "../../support/around-store.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { fails, gate } from "../../support/scripted-provider.ts";
import { serviceForFile, withService } from "../../support/service.ts";
import { dumpTables } from "../../support/tables.ts";
import { until } from "../../support/until.ts";

const around = aroundStore();
const service = await serviceForFile({ wrapStore: around.wrapStore });

describe("a response that is cancelled at the moment of its end", () => {
  const cancel = (id: string) => service.request("POST", `/v1/responses/${id}/cancel`);
  const latestId = async () => ((await dumpTables(service))["responses"]!.at(-1) as { public_id: string }).public_id;

  test("is the uniform 404 while it is being withdrawn", async () => {
    const { opened, open } = gate();
    const asked = Promise.withResolvers<void>();
    around.withdraw = (real) => async (query) => {
      asked.resolve();
      await opened;
      return real(query);
    };
    service.provider.plays([fails("provider_overloaded")]);
    const pending = service.create({ input: "Hi" });
    await asked.promise;
    const id = await latestId();
    const cancelled = cancel(id);
    await until("the stop", () => service.gateway.runs.find(id)?.stopReason === "cancelled");
    open();
    assertApiError(await cancelled, { status: 404, code: "resource_not_found" });
    assertApiError(await pending, { status: 502, code: "provider_overloaded" });
    around.withdraw = null;
  });

  test("shows its end when it ended between two look-ups", async () => {
    const open = service.provider.playsLater("done");
    const stream = await LiveStream.open(service, {});
    await stream.sees("response.in_progress");
    around.afterRead = async () => {
      open();
      await until("the end", () => service.gateway.occupancy().responsesRunning === 0);
    };
    const { status, json } = await cancel(stream.id);
    assert.deepEqual([status, json.status, json.output[0].content[0].text], [200, "completed", "done"]);
    await stream.closed;
  });
});

test("a delete replies after the run has stopped and its end is stored", async () => {
  const { opened, open } = gate();
  const wrapStore = (store: Store): Store => ({
    ...store,
    async settleResponse(settle) {
      await opened;
      return store.settleResponse(settle);
    },
  });
  await withService({ wrapStore }, async (slow) => {
    slow.provider.plays([[{ type: "text", text: "a" }], new Promise(() => {})]);
    const stream = await LiveStream.open(slow, {});
    await stream.sees("response.output_text.delta");
    let isAnswered = false;
    const deleted = slow.request("DELETE", `/v1/responses/${stream.id}`).finally(() => {
      isAnswered = true;
    });
    await until("the stop", () => slow.provider.aborted === 1);
    // A later request is done: the delete still waits.
    assert.equal((await slow.request("GET", "/v1/models")).status, 200);
    assert.equal((await slow.request("GET", `/v1/responses/${stream.id}`)).status, 200);
    assert.equal(isAnswered, false);
    open();
    assert.equal((await deleted).status, 200);
    assert.equal(slow.gateway.occupancy().responsesRunning, 0);
    await stream.closed;
  });
});
