// A create that fails after it took its places (an open stream, a slot) frees them.
// @spec limits (Concurrency)
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { type Store, StoreError } from "../../../src/ports/store/store.ts";
import { PRICED_MODELS, Purse } from "../../support/money.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { serviceForFile } from "../../support/service.ts";
import { until } from "../../support/until.ts";

/** Replacements for the store's next calls. */
const instead: { -readonly [Name in "beginResponse" | "findClaim"]?: Store[Name] } = {};
let isOverloaded = false;

// One stream, one response, no queue: the next request fails if a place is not freed.
const service = await serviceForFile({
  models: PRICED_MODELS,
  limits: { open_streams_per_organization: 1, concurrent_turns: 1, queued_turns: 0 },
  isOverloaded: () => isOverloaded,
  wrapStore: (store) => ({
    ...store,
    beginResponse: (begin) => (instead.beginResponse ?? store.beginResponse)(begin),
    findClaim: (query) => (instead.findClaim ?? store.findClaim)(query),
  }),
});
afterEach(() => {
  delete instead.beginResponse;
  delete instead.findClaim;
  isOverloaded = false;
});

const OVERLOADED = { status: 503, code: "gateway_overloaded" };

/** Two streams in a row, the second over the first's place. */
async function assertFree(key = service.key): Promise<void> {
  for (let round = 0; round < 2; round++) {
    const { status, text, events } = await service.stream({ input: "Hi" }, { key });
    assert.equal(status, 200, text);
    assert.equal(events.at(-1)?.event, "response.completed");
  }
  const { openStreams, responsesRunning, responsesQueued, createsAdmitted } = service.gateway.occupancy();
  assert.deepEqual([openStreams, responsesRunning, responsesQueued, createsAdmitted], [0, 0, 0, 0]);
}

describe("a streamed create that fails late leaves the organization's open streams as they were", () => {
  test("no slot", async () => {
    const open = service.provider.playsLater("done");
    const pending = service.create({ input: "Hi" });
    await until("the call", () => service.gateway.occupancy().responsesRunning === 1);
    for (let round = 0; round < 2; round++) assertApiError(await service.stream({ input: "Hi" }), OVERLOADED);
    open();
    assert.equal((await pending).status, 200);
    await assertFree();
  });

  test("overload", async () => {
    isOverloaded = true;
    assertApiError(await service.stream({ input: "Hi" }), OVERLOADED);
    isOverloaded = false;
    await assertFree();
  });

  test("funds", async () => {
    const purse = await Purse.open(service, 50);
    const rejected = await purse.stream({ input: "Hi" });
    assertApiError(rejected, { status: 429, code: "insufficient_credits" });
    await assertFree(purse.key);
  });

  test("the store, out of reach or failing", async () => {
    for (const [kind, status, code] of [
      ["unavailable", 503, "database_unavailable"],
      ["failed", 500, "database_error"],
    ] as const) {
      instead.beginResponse = () => Promise.reject(new StoreError(kind, "not now"));
      assertApiError(await service.stream({ input: "Hi" }), { status, code });
      delete instead.beginResponse;
      await assertFree();
    }
  });

  test("a history that is deleted meanwhile", async () => {
    const { json } = await service.create({ input: "Hi" });
    instead.beginResponse = () => Promise.resolve({ kind: "gone" });
    const rejected = await service.stream({ input: "More", previous_response_id: json.id });
    assertApiError(rejected, { status: 404, code: "resource_not_found" });
    delete instead.beginResponse;
    await assertFree();
  });

  test("a concurrent request with the same key that began first: the retry replays its stream, or gets 409 for another body", async () => {
    const headers = { "idempotency-key": "twin" };
    const first = await service.stream({ input: "Hi" }, { headers });
    // As if the first had not begun yet when the retry looked.
    instead.findClaim = () => Promise.resolve(null);
    const again = await service.stream({ input: "Hi" }, { headers });
    assert.deepEqual(again.events.at(-1)?.data, {
      ...first.events.at(-1)?.data,
      sequence_number: again.events.length - 1,
    });
    assertApiError(await service.stream({ input: "Ho" }, { headers }), { status: 409, code: "idempotency_conflict" });
    await assertFree();
  });
});

test("none of them keeps a drain waiting", async () => {
  let isOver = false;
  void service.gateway.drain().finally(() => {
    isOver = true;
  });
  await until("the end of the drain", () => isOver);
});
