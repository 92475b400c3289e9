import assert from "node:assert/strict";
import { test } from "node:test";
import { apiErrorOf } from "../../../test/support/responses.ts";
import { createOpenStreams } from "./open-streams.ts";

const owner = (organizationId: string, keyId = `key of ${organizationId}`) => ({ organizationId, keyId });
const [a, b] = [owner("a"), owner("b")];

test("an organization opens as many streams as it may, whatever others hold", () => {
  const streams = createOpenStreams();
  const close = streams.open(a, 2);
  streams.open(a, 2);
  streams.open(b, 1);
  const rejection = apiErrorOf(() => streams.open(a, 2));
  assert.deepEqual([rejection.code, rejection.status, rejection.retryAfterSeconds], ["stream_limit_exceeded", 429, 1]);
  assert.match(rejection.message, /already has 2 open streams/);
  assert.equal(streams.count(), 3);
  close();
  streams.open(a, 2);
  assert.equal(streams.count(), 3);
});

test("a stream that is closed twice makes room for one", () => {
  const streams = createOpenStreams();
  const close = streams.open(a, 2);
  streams.open(a, 2);
  close();
  close();
  assert.equal(streams.count(), 1);
  streams.open(a, 2);
  assert.equal(apiErrorOf(() => streams.open(a, 2)).code, "stream_limit_exceeded");
});

test("a key leaves a part of a large limit to the other keys", () => {
  const streams = createOpenStreams();
  for (let count = 0; count < 90; count++) streams.open(a, 100);
  const rejection = apiErrorOf(() => streams.open(a, 100));
  assert.equal(rejection.code, "stream_limit_exceeded");
  assert.match(rejection.message, /This API key already has 90 open streams, of the 100/);
  streams.open(owner("a", "other key"), 100);
});

test("a stop interrupts each stream once, without those that have unsubscribed", () => {
  const streams = createOpenStreams();
  const interrupted: string[] = [];
  const [first, second] = ["first", "second"].map((name) => streams.onInterrupt(() => interrupted.push(name)));
  second?.();
  streams.interruptAll();
  streams.interruptAll();
  first?.();
  assert.deepEqual(interrupted, ["first"]);
});
