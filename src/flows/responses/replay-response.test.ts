import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { headOf } from "../../../test/support/responses.ts";
import { DEFAULT_LIMITS } from "../../contract/limits.ts";
import { createOpenStreams } from "../access/open-streams.ts";
import type { AllServices } from "../gateway.ts";
import type { Create } from "./read-create.ts";
import { replayResponse } from "./replay-response.ts";

/**
 * A retry, as a stream, of a create whose response another node runs, so long after the first request's wait was over.
 */
async function retryElsewhere(afterMs = 10_000) {
  const clock = new FakeClock();
  let reads = 0;
  const readShortResponse = async () => {
    reads++;
    return { head: headOf(), status: "in_progress", end: null };
  };
  const readStatus = async () => (await readShortResponse()).status;
  const openStreams = createOpenStreams();
  const services = {
    clock,
    limits: DEFAULT_LIMITS,
    nodes: {},
    store: { readShortResponse, readStatus },
    openStreams,
    runs: { find: () => undefined },
  };
  const admitted = {
    caller: { organizationId: "org_1", keyId: "key_1" },
    organization: { id: "org_1", limits: { openStreams: null } },
  };
  const create = { admitted, request: { stream: true, includeObfuscation: false }, claim: null };
  const { reply } = replayResponse(services as unknown as AllServices, create as unknown as Create, {
    result: { kind: "response", responseId: "resp_1", streamed: false },
    claimedAtMs: clock.nowMs() - DEFAULT_LIMITS.non_streaming_wait_seconds * 1000 - afterMs,
    fingerprint: "",
    keyId: "key_1",
  });
  const stream = await reply;
  assert.ok(stream.kind === "stream");
  return { clock, stream, openStreams, reads: () => reads };
}

test("a stream of a turn on another node reads the store until its client disconnects, and then no more", async () => {
  const { clock, stream, openStreams, reads } = await retryElsewhere();
  const stop = stream.watch({ event: () => {}, end: () => {} });
  const before = reads();
  await clock.advance(2000);
  assert.ok(reads() > before + 5, "it follows the turn");
  stop();
  assert.equal(openStreams.count(), 0);
  const left = reads();
  await clock.advance(60_000);
  assert.ok(reads() <= left + 1, `${reads() - left} reads for nobody`);
  assert.equal(clock.pending, 0);
});

test("another node may still be withdrawing the response for some seconds after the wait: no retry is told of it", async () => {
  await assert.rejects(retryElsewhere(9999), { code: "idempotency_in_progress" });
});
