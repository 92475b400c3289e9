import assert from "node:assert/strict";
import { test } from "node:test";
import { createManualClock } from "../../../test/support/provider-samples.ts";
import { createOutputRoom, type OutputShare } from "./output-room.ts";

const STEP = 64 * 1024;

/** Requests room for a share, and reports whether it is granted by now. */
function request(share: OutputShare, bytes: number): { readonly isGranted: () => Promise<boolean> } {
  let granted = false;
  const room = share.hold(bytes);
  if (room === undefined) granted = true;
  else void room.then(() => (granted = true));
  return {
    async isGranted() {
      await Promise.resolve();
      await Promise.resolve();
      return granted;
    },
  };
}

function start(steps: number) {
  const clock = createManualClock();
  return { clock, room: createOutputRoom(steps * STEP, clock) };
}

test("a short output is not counted", () => {
  const { room } = start(1);
  for (let turn = 0; turn < 1000; turn++) assert.equal(room.open().hold(STEP), undefined);
  assert.equal(room.held(), 0);
});

test("counted bytes are released once, when the share closes", async () => {
  const { room } = start(4);
  const share = room.open();
  assert.ok(await request(share, 3 * STEP).isGranted());
  assert.equal(room.held(), 3 * STEP);
  share.close();
  share.close();
  assert.equal(room.held(), 0);
});

test("without room one turn continues and the others wait for its end, first come, first served", async () => {
  const { room } = start(2);
  const shares = [room.open(), room.open(), room.open()] as const;
  assert.ok(await request(shares[0], 2 * STEP).isGranted());
  const [first, second] = [request(shares[1], 2 * STEP), request(shares[2], 2 * STEP)];
  assert.ok(await first.isGranted(), "one at a time continues");
  assert.ok(!(await second.isGranted()));
  assert.ok(await request(shares[1], 9 * STEP).isGranted(), "to its end");
  const third = request(shares[0], 5 * STEP);
  shares[1].close();
  assert.ok(await second.isGranted());
  assert.ok(!(await third.isGranted()));
  shares[2].close();
  assert.ok(await third.isGranted());
  shares[0].close();
  assert.equal(room.held(), 0);
});

test("a turn that continues without room is replaced after ten silent seconds", async () => {
  const { clock, room } = start(1);
  const [leader, other] = [room.open(), room.open()];
  assert.ok(await request(leader, 5 * STEP).isGranted());
  const waiting = request(other, 5 * STEP);
  assert.ok(!(await waiting.isGranted()));
  clock.advance(10_000);
  assert.ok(await waiting.isGranted());
  leader.close();
  other.close();
  assert.equal(clock.pending, 0);
});

test("so is the one that replaces it; one that grows keeps its place until a later look", async () => {
  const { clock, room } = start(1);
  const [first, second, third] = [room.open(), room.open(), room.open()];
  assert.ok(await request(first, 5 * STEP).isGranted());
  const [next, last] = [request(second, 5 * STEP), request(third, 5 * STEP)];
  clock.advance(6_000);
  assert.ok(await request(first, 9 * STEP).isGranted());
  clock.advance(4_000);
  assert.ok(!(await next.isGranted()), "it grew four seconds ago");
  clock.advance(10_000);
  assert.ok(await next.isGranted());
  assert.ok(!(await last.isGranted()));
  assert.equal(room.held(), (9 + 5) * STEP, "what is granted to a turn that waited is counted too");
  clock.advance(10_000);
  assert.ok(await last.isGranted());
  for (const share of [first, second, third]) share.close();
  assert.deepEqual([room.held(), clock.pending], [0, 0]);
});

test("room that becomes free goes to those who wait, while the turn that leads goes on", async () => {
  const { room } = start(5);
  const [large, leader, small, other] = [room.open(), room.open(), room.open(), room.open()];
  assert.ok(await request(large, 4 * STEP).isGranted());
  assert.ok(await request(leader, 3 * STEP).isGranted(), "beyond the room: it leads");
  const [first, second] = [request(small, 2 * STEP), request(other, 2 * STEP)];
  assert.ok(!(await first.isGranted()));
  large.close();
  assert.deepEqual([await first.isGranted(), await second.isGranted(), room.held()], [true, false, 5 * STEP]);
  for (const share of [leader, small, other]) share.close();
  assert.equal(room.held(), 0);
});

test("bytes stay counted until the last reader of an ended turn has gone", async () => {
  const { room } = start(4);
  const share = room.open();
  const [first, second] = [share.keep(), share.keep()];
  assert.ok(await request(share, 3 * STEP).isGranted());
  share.close();
  first();
  assert.equal(room.held(), 3 * STEP);
  second();
  assert.equal(room.held(), 0);
});

test("a turn that ends while it waits is resumed", async () => {
  const { clock, room } = start(1);
  const [leader, other] = [room.open(), room.open()];
  assert.ok(await request(leader, 5 * STEP).isGranted());
  const waiting = request(other, 5 * STEP);
  other.close();
  assert.ok(await waiting.isGranted());
  leader.close();
  assert.equal(room.held(), 0);
  assert.equal(clock.pending, 0);
});
