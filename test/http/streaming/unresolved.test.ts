// A stream whose response reaches no end that a client could retrieve. @spec events
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Store, StoreError } from "../../../src/ports/store/store.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { FINISHED, gate } from "../../support/scripted-provider.ts";
import { withService } from "../../support/service.ts";
import { until } from "../../support/until.ts";

const headers = { "idempotency-key": "k" };
const assertUnresolved = async (stream: LiveStream) => {
  await until("the end of the stream", () => stream.isClosed);
  const last = stream.events.at(-1);
  assert.deepEqual([last?.event, last?.data.code], ["error", "response_unresolved"]);
  assert.equal(last?.data.response.id, stream.id);
};

test("a response whose end cannot be stored: its stream ends at once, live, replayed, and replayed without a run", async () => {
  let fault: Error | null = null;
  const wrapStore = (store: Store): Store => ({
    ...store,
    settleResponse: (settle) => (fault === null ? store.settleResponse(settle) : Promise.reject(fault)),
  });
  await withService({ wrapStore }, async (broken) => {
    const { opened, open } = gate();
    broken.provider.plays([opened, FINISHED]);
    const first = await LiveStream.open(broken, {}, { headers });
    await first.sees("response.in_progress");
    await broken.clock.advance(299_999);
    const live = await LiveStream.open(broken, { input: "another" });
    await live.closed;
    assert.equal(live.events.at(-1)?.event, "response.completed", "control: while the store takes it");
    await broken.clock.advance(1);
    await first.closed;
    const again = await LiveStream.open(broken, {}, { headers });
    await again.sees("response.in_progress");
    fault = new StoreError("failed", "a page of nonsense");
    const lost = await LiveStream.open(broken, { input: "lost" });
    await assertUnresolved(lost);
    open();
    await assertUnresolved(again);
    const { status, json } = await broken.request("GET", `/v1/responses/${again.id}`);
    assert.deepEqual([status, json.status], [200, "in_progress"]);
    await assertUnresolved(await LiveStream.open(broken, {}, { headers }));
    fault = null;
    // It is settled as failed once the store takes that.
    await until("its end", async () => {
      await broken.clock.advance(2000);
      return (await broken.request("GET", `/v1/responses/${again.id}`)).json.status === "failed";
    });
  });
});
