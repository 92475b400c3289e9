import assert from "node:assert/strict";
import { test } from "node:test";
import { apiErrorOf } from "../../test/support/turns.ts";
import { untilUnchanged } from "./until-unchanged.ts";

test("an attempt is repeated up to ten times, then the conversation changes too quickly: 503", async () => {
  let tries = 0;
  const doneAt = (last: number) => () => Promise.resolve(++tries < last ? null : "done");
  assert.equal(await untilUnchanged(doneAt(1)), "done");
  assert.equal(tries, 1);
  tries = 0;
  assert.equal(await untilUnchanged(doneAt(10)), "done");
  assert.equal(tries, 10);
  tries = 0;
  const thrown: unknown = await untilUnchanged(doneAt(11)).catch((error: unknown) => error);
  const { code, status, retryAfterSeconds } = apiErrorOf(() => {
    throw thrown;
  });
  assert.deepEqual([code, status, retryAfterSeconds, tries], ["gateway_overloaded", 503, 1, 10]);
});

test("an attempt that fails is not repeated", async () => {
  let tries = 0;
  const fails = () => {
    tries++;
    return Promise.reject(new Error("the disk"));
  };
  await assert.rejects(untilUnchanged(fails), /the disk/);
  assert.equal(tries, 1);
});
