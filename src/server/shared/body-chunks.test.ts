import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../../test/support/fast-check.ts";
import { BodyChunks } from "./body-chunks.ts";

const KIBIBYTE = 1024;

test("the bytes are the same, however they are cut", () => {
  const length = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 4000, max: 4200 }), fc.constant(65_536));
  fc.assert(
    fc.property(fc.array(length, { maxLength: 40 }), (lengths) => {
      const chunks = new BodyChunks();
      const all: Buffer[] = [];
      for (const [index, size] of lengths.entries()) {
        const chunk = Buffer.alloc(size, index + 1);
        all.push(chunk);
        chunks.add(chunk);
      }
      assert.equal(chunks.length, Buffer.concat(all).length);
      assert.deepEqual(chunks.whole(), Buffer.concat(all));
    }),
  );
});

test("one chunk is not copied", () => {
  const chunks = new BodyChunks();
  const only = Buffer.from("{}");
  chunks.add(only);
  assert.equal(chunks.whole(), only);
});

test("a body that arrives byte by byte takes a buffer for 64 KiB, not for each byte", () => {
  const chunks = new BodyChunks();
  for (let at = 0; at < 1000 * KIBIBYTE; at++) chunks.add(Buffer.from([at & 0xff]));
  assert.equal(chunks.length, 1000 * KIBIBYTE);
  assert.ok(chunks.count <= 30, `${chunks.count} buffers`);
  assert.ok(chunks.bytesKept < 1100 * KIBIBYTE, `${chunks.bytesKept} bytes`);
  // A long chunk between short ones ends a buffer early.
  for (let at = 0; at < 100; at++) chunks.add(at % 2 === 0 ? Buffer.alloc(1) : Buffer.alloc(8 * KIBIBYTE));
  assert.ok(chunks.count <= 130, `${chunks.count} buffers`);
});

test("a short body in two chunks takes little more than its bytes", () => {
  for (const [first, second] of [
    [1, 1],
    [10, 600],
    [3000, 3000],
  ] as const) {
    const chunks = new BodyChunks();
    // A buffer of its own, as those that a socket reads into.
    chunks.add(Buffer.allocUnsafeSlow(first));
    chunks.add(Buffer.allocUnsafeSlow(second));
    assert.ok(chunks.bytesKept <= Math.max(600, 3 * (first + second)), `${chunks.bytesKept} bytes`);
  }
});

test("nothing is kept once it is cleared", () => {
  const chunks = new BodyChunks();
  for (const size of [10, 10, 5000]) chunks.add(Buffer.alloc(size));
  chunks.clear();
  assert.equal(chunks.count, 0);
});
