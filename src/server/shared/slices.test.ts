// docs/reliability.md, A-11
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { writeSlices } from "./slices.ts";

const SLICE = 256 * 1024;

/** A response that takes what it is given, or waits for `drain` after each write. */
class Taking extends EventEmitter {
  readonly written: Buffer[] = [];
  readonly isSlow: boolean;
  destroyed = false;

  constructor(isSlow = false) {
    super();
    this.isSlow = isSlow;
  }

  write(slice: Uint8Array): boolean {
    this.written.push(Buffer.from(slice));
    return !this.isSlow;
  }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

const write = (to: Taking, ...pieces: readonly (string | Uint8Array)[]) => {
  const counts: number[] = [];
  const done = writeSlices(to as unknown as ServerResponse, pieces, (bytes) => counts.push(bytes));
  return { done, counts };
};

test("texts and bytes arrive in order and whole, in slices of 256 KiB at most", async () => {
  const to = new Taking();
  // Each way of cutting the text meets a surrogate pair.
  const texts = [`${"😀".repeat(200_000)}x`, `a${"😀".repeat(200_000)}`, "", "漢".repeat(300_000)];
  const bytes = Buffer.alloc(3 * SLICE + 1, "b");
  const { done, counts } = write(to, texts[0]!, bytes, ...texts.slice(1));
  await done;
  const whole = [texts[0], bytes.toString(), ...texts.slice(1)].join("");
  assert.ok(Buffer.concat(to.written).equals(Buffer.from(whole)));
  assert.ok(to.written.every(({ length }) => length <= SLICE && length > 0));
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    Buffer.byteLength(whole),
  );
});

test("no turn of the event loop writes more than two slices", async () => {
  const to = new Taking();
  const { done } = write(to, Buffer.alloc(20 * SLICE));
  for (let turn = 0, before = 0; to.written.length < 20; turn++, before = to.written.length) {
    assert.ok(turn < 100);
    await nextTurn();
    assert.ok(to.written.length - before <= 2, `${to.written.length - before} slices in a turn`);
  }
  await done;
});

test("the next slice waits until the client has read on, and is not written to one that is gone", async () => {
  const to = new Taking(true);
  const { done } = write(to, Buffer.alloc(4 * SLICE));
  await turns(5);
  assert.equal(to.written.length, 1);
  to.emit("drain");
  await turns(5);
  assert.equal(to.written.length, 2);
  to.destroyed = true;
  to.emit("close");
  await done;
  assert.equal(to.written.length, 2);
  assert.deepEqual(to.eventNames(), []);
});
