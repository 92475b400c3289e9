// The wall clock is set back while a response runs: docs/reliability.md, F-19, I-48
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Store, StoreError } from "../../../src/ports/store/store.ts";
import { beginOf, headOf } from "../../store/fixtures.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { FINISHED, gate } from "../../support/scripted-provider.ts";
import { withService } from "../../support/service.ts";

// A response that ends, one that could not be stored as it ended, and one that a crash left.
test("completed_at is never before created_at, though the clock is set back", async () => {
  let rejectsHistory = false;
  const wrapStore = (store: Store): Store => ({
    ...store,
    settleResponse: (settle) =>
      rejectsHistory && settle.entersHistory
        ? Promise.reject(new StoreError("failed", "no"))
        : store.settleResponse(settle),
  });
  await withService({ wrapStore }, async (shifted) => {
    for (const rejects of [false, true]) {
      rejectsHistory = rejects;
      const { opened, open } = gate();
      shifted.provider.plays([opened, FINISHED]);
      const stream = await LiveStream.open(shifted, {});
      await stream.sees("response.in_progress");
      shifted.clock.setWall(-3_600_000);
      open();
      await stream.closed;
      const { created_at, completed_at, status } = stream.events.at(-1)!.data.response;
      assert.deepEqual([status, completed_at], [rejects ? "failed" : "completed", created_at]);
    }
    const { organizationId, keyId } = shifted;
    const head = headOf({ createdAt: Math.floor(shifted.clock.nowMs() / 1000) });
    await shifted.store.beginResponse(beginOf(head, { caller: { organizationId, keyId } }));
    shifted.clock.setWall(-3_600_000);
    await shifted.restart();
    const { json } = await shifted.request("GET", `/v1/responses/${head.id}`);
    assert.deepEqual([json.status, json.completed_at], ["failed", head.createdAt]);
  });
});
