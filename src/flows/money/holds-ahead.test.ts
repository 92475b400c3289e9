import assert from "node:assert/strict";
import { test } from "node:test";
import type { Shortage } from "../../ports/store/funds.ts";
import { createHoldsAhead, type HoldAhead } from "./holds-ahead.ts";

const TURN = { heldNano: 1n, ownNano: 0n, neededNano: 1n };
const CREDITS: Shortage = { kind: "credits", creditsNano: 0n, ...TURN };
const KEYS: Shortage = {
  kind: "budget",
  scope: "key",
  id: "key_1",
  period: "day",
  limitNano: 1n,
  spentNano: 0n,
  ...TURN,
};
const caller = (organizationId: string, keyId = "key") => ({ organizationId, keyId });

function hold(of: ReturnType<typeof caller>, given: Promise<boolean> | boolean = true): HoldAhead & { calls: number } {
  return {
    caller: of,
    calls: 0,
    giveBack() {
      this.calls++;
      return Promise.resolve(given);
    },
  };
}

test("each response of the organization gives back once; a response that holds nothing ahead yields nothing", async () => {
  const ahead = createHoldsAhead(() => {});
  const [first, second, other] = [hold(caller("a")), hold(caller("a", "another"), false), hold(caller("b"))];
  for (const one of [first, second, other, first]) ahead.add(one);
  assert.equal(await ahead.reclaim(caller("a"), CREDITS), true);
  assert.deepEqual([first.calls, second.calls, other.calls], [1, 1, 0]);
  assert.equal(await ahead.reclaim(caller("a"), CREDITS), false);
  ahead.add(second);
  assert.equal(await ahead.reclaim(caller("a"), CREDITS), false);
  assert.equal(second.calls, 2);
});

test("a shortage of a key's budget reclaims only from the responses of that key", async () => {
  const ahead = createHoldsAhead(() => {});
  const [own, other] = [hold(caller("a")), hold(caller("a", "another"))];
  for (const one of [own, other]) ahead.add(one);
  assert.equal(await ahead.reclaim(caller("a"), KEYS), true);
  assert.deepEqual([own.calls, other.calls], [1, 0]);
});

test("a response that is short during a reclaim waits for it", async () => {
  const ahead = createHoldsAhead(() => {});
  const { promise, resolve } = Promise.withResolvers<boolean>();
  ahead.add(hold(caller("a"), promise));
  const both = Promise.all([ahead.reclaim(caller("a"), CREDITS), ahead.reclaim(caller("a"), CREDITS)]);
  resolve(true);
  assert.deepEqual(await both, [true, true]);
  assert.equal(await ahead.reclaim(caller("a"), CREDITS), false);
});

test("a response that has ended gives nothing back", async () => {
  const ahead = createHoldsAhead(() => {});
  const ended = hold(caller("a"));
  ahead.add(ended);
  ahead.remove(ended);
  assert.equal(await ahead.reclaim(caller("a"), CREDITS), false);
  assert.equal(ended.calls, 0);
});
