import assert from "node:assert/strict";
import { test } from "node:test";
import { createReserve } from "./reserve.ts";

/** A stock that several reserves draw from, and a clock that the test advances. */
function openStock(count: number) {
  const stock = { left: count, draws: 0 };
  const timers: (() => void)[] = [];
  const clock = {
    after: (_: number, callback: () => void) => {
      timers.push(callback);
      return () => {};
    },
  };
  const open = () =>
    createReserve(clock, {
      draw: async (wanted) => {
        await new Promise((resolve) => setImmediate(resolve));
        const granted = Math.min(wanted, stock.left);
        stock.left -= granted;
        stock.draws++;
        return { granted, left: stock.left };
      },
      giveBack: async (returned) => {
        stock.left += returned;
      },
      aheadMax: 100,
    });
  const passSecond = (): void => {
    for (const timer of timers.splice(0)) timer();
  };
  return { stock, open, passSecond };
}

test("of ten times as many requests over three nodes exactly as many are granted as there are", async () => {
  for (const count of [1, 7, 100, 1000]) {
    const { stock, open, passSecond } = openStock(count);
    const nodes = [open(), open(), open()];
    let granted = 0;
    for (let round = 0; round < 10; round++) {
      const takes = Array.from({ length: count }, (_, at) => nodes[at % 3]!.take());
      for (const { isTaken } of await Promise.all(takes)) granted += Number(isTaken);
      passSecond();
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(granted, count);
    assert.equal(stock.left, 0);
  }
});

test("with plenty left, few requests need a draw", async () => {
  const { stock, open } = openStock(10_000);
  const node = open();
  for (let count = 0; count < 1000; count++) assert.ok((await node.take()).isTaken);
  assert.ok(stock.draws < 20, `${stock.draws} draws`);
});

test("what was drawn ahead and not used goes back; what is put back is used again or goes back", async () => {
  const { stock, open, passSecond } = openStock(1600);
  const node = open();
  await node.take();
  await node.take();
  assert.ok(node.held() > 0);
  node.put();
  passSecond();
  assert.equal(node.held(), 0);
  assert.equal(stock.left, 1600 - 1);
});

test("a draw that fails fails those that waited for it, and the next one draws again", async () => {
  let isDown = true;
  const reserve = createReserve(
    { after: () => () => {} },
    {
      draw: () => (isDown ? Promise.reject(new Error("away")) : Promise.resolve({ granted: 2, left: 0 })),
      giveBack: async () => {},
      aheadMax: 1,
    },
  );
  const results = await Promise.allSettled([reserve.take(), reserve.take()]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  isDown = false;
  assert.ok((await reserve.take()).isTaken);
});
