// docs/reliability.md, A-10
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { UnreadReplies } from "./unread-replies.ts";

const MIB = 1024 * 1024;
const SECONDS = 1000;

/** A response whose unread bytes the test sets. */
class HeldResponse extends EventEmitter {
  unsent: number;
  socket: object | null = {};
  destroyed = false;

  constructor(unsent: number) {
    super();
    this.unsent = unsent;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

function watching() {
  const clock = new FakeClock();
  let cut = 0;
  const unread = new UnreadReplies(clock, () => cut++);
  return {
    clock,
    cut: () => cut,
    watch(unsent: number, isReserved = true): HeldResponse {
      const response = new HeldResponse(unsent);
      unread.watch(response as unknown as ServerResponse, () => response.unsent, isReserved);
      return response;
    },
  };
}

test("a reader that reads nothing for 30 seconds is cut off, and not before", async () => {
  const { clock, cut, watch } = watching();
  const [short, long] = [watch(1), watch(20 * MIB)];
  await clock.advance(30 * SECONDS - 1);
  assert.deepEqual([short.destroyed, long.destroyed], [false, false]);
  await clock.advance(1);
  assert.deepEqual([short.destroyed, long.destroyed, cut(), clock.pending], [true, true, 2, 0]);
});

test("a reader that reads 1 MiB in 30 seconds, or the rest, gets all of it", async () => {
  const { clock, cut, watch } = watching();
  const long = watch(2.5 * MIB);
  for (const left of [1.5 * MIB, 0.5 * MIB, 0]) {
    long.unsent = left;
    await clock.advance(30 * SECONDS);
    assert.equal(long.destroyed, false);
  }
  assert.deepEqual([cut(), clock.pending], [0, 0]);
});

test("a reader that reads less is cut off, however long it goes on", async () => {
  const { clock, watch } = watching();
  const long = watch(20 * MIB);
  long.unsent -= MIB - 1;
  await clock.advance(30 * SECONDS);
  assert.equal(long.destroyed, true);
});

test("a pipelined reply waits for the one before it", async () => {
  const { clock, watch } = watching();
  const second = watch(10);
  second.socket = null;
  await clock.advance(90 * SECONDS);
  assert.equal(second.destroyed, false);
  second.socket = {};
  await clock.advance(30 * SECONDS);
  assert.equal(second.destroyed, true);
});

test("beyond 64 MiB of unread replies without a reservation, the oldest of them are cut off", () => {
  const { cut, watch } = watching();
  const withRoom = watch(100 * MIB);
  const [first, second, third] = [watch(30 * MIB, false), watch(30 * MIB, false), watch(4 * MIB, false)];
  assert.equal(cut(), 0);
  const fourth = watch(1, false);
  assert.deepEqual(
    [withRoom, first, second, third, fourth].map(({ destroyed }) => destroyed),
    [false, true, false, false, false],
  );
  second.emit("close");
  watch(58 * MIB, false);
  assert.equal(cut(), 1, "what was read has given its bytes back");
});

test("a reply that is sent is watched no longer", async () => {
  const { clock, cut, watch } = watching();
  watch(5).emit("close");
  watch(0);
  assert.equal(clock.pending, 0);
  await clock.advance(60 * SECONDS);
  assert.equal(cut(), 0);
});
