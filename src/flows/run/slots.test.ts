import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../contract/errors.ts";
import { createSlots, type Slot, type Slots } from "./slots.ts";

const owner = (organizationId: string, keyId = `key of ${organizationId}`) => ({ organizationId, keyId });

const NONE = { ofOrganization: null, ofKey: null };

/** Takes slots and places until the owner gets an error; returns what it took and the error's code. */
function takeAll(slots: Slots, who = owner("a"), ofOrganization: number | null = null, ofKey: number | null = null) {
  const max = { ofOrganization, ofKey };
  const taken: Slot[] = [];
  for (;;) {
    try {
      taken.push(slots.take(who, max));
    } catch (error) {
      assert.ok(error instanceof ApiError);
      assert.throws(() => slots.assertRoom(who, max), { code: error.code });
      return { taken, code: error.code, message: error.message };
    }
  }
}

const isRunning = (slot: Slot) => Promise.race([slot.granted, new Promise((resolve) => setImmediate(resolve, false))]);

test("a key that floods leaves slots and places in the queue to others, and gets 429", async () => {
  const slots = createSlots(1000, 500);
  const { code, message } = takeAll(slots);
  assert.equal(code, "rate_limit_exceeded");
  assert.match(message, /1080 responses running or queued.*its share of the service.*Try again/);
  assert.deepEqual([slots.running(), slots.queued(), slots.responsesOf("a")], [720, 360, 1080]);
  // Another key of the organization, and another organization, run at once.
  assert.equal(await isRunning(slots.take(owner("a", "other key"), NONE)), true);
  assert.equal(await isRunning(slots.take(owner("b"), NONE)), true);
});

test("the service is overloaded when all slots and all places are taken", () => {
  const slots = createSlots(2, 1);
  assert.equal(takeAll(slots).code, "gateway_overloaded");
  assert.deepEqual([slots.running(), slots.queued()], [2, 1]);
  assert.throws(() => slots.take(owner("b"), NONE), { code: "gateway_overloaded" });
  assert.throws(() => createSlots(0, 0).take(owner("b"), NONE), { code: "gateway_overloaded" });
});

test("one or two slots are taken by whoever comes, and what ends is given to the next organization in turn", async () => {
  for (const max of [1, 2]) {
    const slots = createSlots(max, 10);
    const first = takeAll(slots).taken;
    const waiting = slots.take(owner("b"), NONE);
    assert.equal(waiting.isQueued, true);
    first[0]?.release();
    assert.equal(await isRunning(first[max] ?? waiting), true, "the first that waited");
    first[1]?.release();
    first[max]?.release();
    assert.equal(await isRunning(waiting), true);
    assert.equal(slots.running(), max);
  }
});

test("an organization's own limit counts the running and the queued responses of all its keys", () => {
  const slots = createSlots(2, 10);
  const { taken, code, message } = takeAll(slots, owner("a"), 3);
  assert.equal(code, "rate_limit_exceeded");
  assert.match(message, /has 3 responses running or queued and may have 3 at once/);
  assert.throws(() => slots.take(owner("a", "other key"), { ofOrganization: 3, ofKey: null }), {
    code: "rate_limit_exceeded",
  });
  assert.equal(slots.take(owner("a"), { ofOrganization: 4, ofKey: null }).isQueued, true);
  for (const slot of taken) slot.release();
  assert.equal(takeAll(slots, owner("a", "other key"), 3).taken.length, 2);
});

test("of a large limit, a key leaves a part to the other keys", () => {
  const slots = createSlots(1000, 0);
  const { taken, message } = takeAll(slots, owner("a"), 100);
  assert.equal(taken.length, 90);
  assert.match(message, /This API key has 90 responses running or queued, of the 100/);
  assert.equal(takeAll(slots, owner("a", "other key"), 100).taken.length, 9);
});

test("a response leaves the queue or frees its slot once, however often it is released", async () => {
  const slots = createSlots(1, 2);
  const [running, waiting] = takeAll(slots).taken;
  waiting?.leaveQueue();
  waiting?.release();
  assert.equal(await waiting?.granted, false);
  assert.deepEqual([slots.running(), slots.queued()], [1, 1]);
  running?.leaveQueue();
  running?.release();
  running?.release();
  assert.deepEqual([slots.running(), slots.queued(), slots.responsesOf("a")], [1, 0, 1]);
});

test("a key's own limit leaves the rest of the organization's to its other keys", () => {
  const slots = createSlots(2, 10);
  const { taken, message } = takeAll(slots, owner("a"), 5, 3);
  assert.equal(taken.length, 3);
  assert.match(message, /This API key has 3 responses running or queued and may have 3 at once/);
  assert.equal(takeAll(slots, owner("a", "other key"), 5).taken.length, 2);
});
