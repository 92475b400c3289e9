import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { ApiError } from "../../contract/errors.ts";
import { createSignInAttempts } from "./sign-in-attempts.ts";

/** Attempts at a clock of the test's own; each returns the seconds to wait, or null when it counts. */
function attempts() {
  const clock = new FakeClock();
  const counted = createSignInAttempts(clock, null, String);
  const draw = async (address: string, email: string | null): Promise<number | null> => {
    try {
      await counted.draw(address, email);
      return null;
    } catch (error) {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, "rate_limit_exceeded");
      return error.retryAfterSeconds ?? null;
    }
  };
  return { clock, draw };
}

const times = (count: number, deed: (index: number) => Promise<number | null>) =>
  Promise.all(Array.from({ length: count }, (_, i) => deed(i)));
const granted = (count: number) => Array.from({ length: count }, () => null);

test("five a minute from one address for one e-mail address, then one every twelve seconds", async () => {
  const { clock, draw } = attempts();
  assert.deepEqual(await times(6, () => draw("1.1.1.1", "a@b.test")), [...granted(5), 12]);
  assert.equal(await draw("1.1.1.1", "other@b.test"), null, "for another e-mail address");
  assert.equal(await draw("2.2.2.2", "a@b.test"), null, "from another address");
  await clock.advance(11_999);
  assert.equal(await draw("1.1.1.1", "a@b.test"), 1);
  await clock.advance(1);
  assert.equal(await draw("1.1.1.1", "a@b.test"), null);
  assert.equal(await draw("1.1.1.1", "a@b.test"), 12);
});

test("twenty a minute from one address, whatever they are for; links count", async () => {
  const { draw } = attempts();
  assert.deepEqual(await times(21, (index) => draw("1.1.1.1", index % 2 === 0 ? null : `${index}@b.test`)), [
    ...granted(20),
    3,
  ]);
  assert.equal(await draw("1.1.1.1", null), 3);
  assert.equal(await draw("2.2.2.2", null), null);
});

test("thirty a minute for one e-mail address, from any network address", async () => {
  const { draw } = attempts();
  assert.deepEqual(await times(31, (index) => draw(`1.1.1.${index}`, "a@b.test")), [...granted(30), 2]);
  assert.equal(await draw("1.1.1.99", "other@b.test"), null);
});

test("the allowances used last are kept among many others", async () => {
  const { draw } = attempts();
  await times(20, () => draw("1.1.1.1", null));
  // Its allowance is looked at in between, so it is never the one that was used longest ago.
  for (let index = 0; index < 11_000; index++) {
    await draw(`2.2.${index >> 8}.${index & 255}`, null);
    if (index % 5_000 === 0) assert.notEqual(await draw("1.1.1.1", null), null);
  }
  assert.notEqual(await draw("1.1.1.1", null), null);
});

test("all IPv6 addresses of a network of 64 bits count as one", async () => {
  const { draw } = attempts();
  const shapes = ["2001:db8:0:7:aa:1:2:3", "2001:db8:0:7::1", "2001:db8:0:7:1:2::", "2001:db8:0:7::"];
  assert.deepEqual(await times(21, (index) => draw(shapes[index % shapes.length] ?? "", null)), [...granted(20), 3]);
  for (const other of ["2001:db8:0:8::1", "2001:db8::1", "::1", "::ffff:1.1.1.1", "::ffff:1.1.1.2", "1.1.1.1"]) {
    assert.deepEqual(await times(21, () => draw(other, null)), [...granted(20), 3], other);
  }
});

test("what this process rejects by itself is not asked of the store; what the store rejects is rejected", async () => {
  const asked: unknown[] = [];
  const nodes = {
    drawAttempt: async (query: unknown) => {
      asked.push(query);
      return { isGranted: asked.length < 22, retryAfterMs: 4001 };
    },
  };
  const clock = new FakeClock();
  const counted = createSignInAttempts(clock, nodes, (address) => `hash of ${address}`);
  await counted.draw("1.1.1.1", "a@b.test");
  assert.deepEqual(asked, [
    { hash: "hash of 1.1.1.1", perMinute: 20 },
    { hash: "hash of 1.1.1.1 a@b.test", perMinute: 5 },
    { hash: "hash of a@b.test", perMinute: 30 },
  ]);
  for (let count = 1; count < 20; count++) {
    if (count === 19) await assert.rejects(counted.draw("1.1.1.1", null), { retryAfterSeconds: 5 });
    else await counted.draw("1.1.1.1", null);
  }
  await assert.rejects(counted.draw("1.1.1.1", null), { retryAfterSeconds: 3 });
  assert.equal(asked.length, 22);
});

test("attempts from many addresses do not renew the allowance of an e-mail address", async () => {
  const { draw } = attempts();
  await times(30, (index) => draw(`1.1.1.${index}`, "a@b.test"));
  for (let index = 0; index < 11_000; index++) await draw(`2.2.${index >> 8}.${index & 255}`, null);
  assert.equal(await draw("1.1.1.99", "a@b.test"), 2);
});
