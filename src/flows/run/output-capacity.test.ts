// docs/reliability.md, A-5, A-9
import assert from "node:assert/strict";
import { test } from "node:test";
import { createManualClock } from "../../../test/support/provider-samples.ts";
import { createOutputCapacity, type OutputCapacity, type OutputReservation } from "./output-capacity.ts";

const STEP = 64 * 1024;

/** Grows a reservation, and reports whether it is granted by now. */
function request(reservation: OutputReservation, bytes: number): { readonly isGranted: () => Promise<boolean> } {
  let granted = false;
  const waiting = reservation.growTo(bytes);
  if (waiting === undefined) granted = true;
  else void waiting.then(() => (granted = true));
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
  const gaveWay: string[] = [];
  const capacity = createOutputCapacity(steps * STEP, clock);
  /** The output of a response of an organization's only key. */
  const open = (organizationId = "a", isRead = true) =>
    capacity.open({
      owner: { organizationId, keyId: `key of ${organizationId}` },
      isRead: () => isRead,
      giveWay: () => void gaveWay.push(organizationId),
    });
  return {
    clock,
    capacity: { open, held: capacity.held } satisfies Pick<OutputCapacity, "held"> & { open: unknown },
    gaveWay,
  };
}

test("a short output is not counted", () => {
  const { capacity } = start(1);
  for (let response = 0; response < 1000; response++) assert.equal(capacity.open().growTo(STEP), undefined);
  assert.equal(capacity.held(), 0);
});

test("counted bytes are released once, when the reservation closes", async () => {
  const { capacity } = start(4);
  const reservation = capacity.open();
  assert.ok(await request(reservation, 3 * STEP).isGranted());
  assert.equal(capacity.held(), 3 * STEP);
  reservation.close();
  reservation.close();
  assert.equal(capacity.held(), 0);
});

test("without memory one response continues and the others wait for its end, first come, first served", async () => {
  const { capacity } = start(2);
  const reservations = [capacity.open(), capacity.open(), capacity.open()] as const;
  assert.ok(await request(reservations[0], 2 * STEP).isGranted());
  const [first, second] = [request(reservations[1], 2 * STEP), request(reservations[2], 2 * STEP)];
  assert.ok(await first.isGranted(), "one at a time continues");
  assert.ok(!(await second.isGranted()));
  assert.ok(await request(reservations[1], 9 * STEP).isGranted(), "to its end");
  const third = request(reservations[0], 5 * STEP);
  reservations[1].close();
  assert.ok(await second.isGranted());
  assert.ok(!(await third.isGranted()));
  reservations[2].close();
  assert.ok(await third.isGranted());
  reservations[0].close();
  assert.equal(capacity.held(), 0);
});

test("a response that continues without memory keeps its place while its provider sends, however little", async () => {
  const { clock, capacity, gaveWay } = start(1);
  const [leader, other] = [capacity.open("a", false), capacity.open("b")];
  assert.ok(await request(leader, 5 * STEP).isGranted());
  const waiting = request(other, 5 * STEP);
  for (let second = 0; second < 100; second++) {
    leader.growTo(5 * STEP + second);
    clock.advance(1000);
  }
  assert.deepEqual([gaveWay, await waiting.isGranted()], [[], false]);
  leader.close();
  assert.ok(await waiting.isGranted());
  other.close();
  assert.equal(clock.pending, 0);
});

for (const [isRead, seconds] of [
  [false, 10],
  [true, 60],
] as const) {
  test(`its turn ends after ${seconds} silent seconds, if its client ${isRead ? "is there" : "has gone"}`, async () => {
    const { clock, capacity, gaveWay } = start(1);
    const [leader, other] = [capacity.open("a", isRead), capacity.open("b")];
    assert.ok(await request(leader, 5 * STEP).isGranted());
    clock.advance(100_000);
    assert.deepEqual(gaveWay, [], "nobody waits");
    leader.growTo(5 * STEP);
    const waiting = request(other, 5 * STEP);
    clock.advance(seconds * 1000 - 1);
    assert.deepEqual(gaveWay, []);
    clock.advance(10_000);
    assert.deepEqual([gaveWay, await waiting.isGranted()], [["a"], false], "its memory is not free yet");
    clock.advance(100_000);
    assert.deepEqual(gaveWay, ["a"], "once");
    leader.close();
    assert.ok(await waiting.isGranted());
    other.close();
    assert.deepEqual([capacity.held(), clock.pending], [0, 0]);
  });
}

test("one key leaves memory to others, also what it continues with beyond its share", async () => {
  const { capacity } = start(100);
  const flood = Array.from({ length: 100 }, () => capacity.open());
  const waiting = flood.map((reservation) => request(reservation, 10 * STEP));
  const granted = await Promise.all(waiting.map(({ isGranted }) => isGranted()));
  assert.deepEqual(
    [granted.filter(Boolean).length, capacity.held() / STEP],
    [8, 80],
    "seven in its share, and one that leads",
  );
  assert.ok(await request(capacity.open("b"), 20 * STEP).isGranted());
});

test("organizations take turns in continuing without memory", async () => {
  const { capacity } = start(1);
  const [first, second, third, other] = [capacity.open(), capacity.open(), capacity.open(), capacity.open("b")];
  const grants = [first, second, third, other].map((reservation) => request(reservation, 5 * STEP));
  const areGranted = () => Promise.all(grants.map(({ isGranted }) => isGranted()));
  assert.deepEqual(await areGranted(), [true, false, false, false]);
  first.close();
  assert.deepEqual(await areGranted(), [true, true, false, false]);
  second.close();
  assert.deepEqual(await areGranted(), [true, true, false, true], "the other organization's turn");
});

test("memory is bounded: the next one continues without memory once a slow reader has read the last one", async () => {
  const { capacity } = start(1);
  const [leader, other] = [capacity.open(), capacity.open("b")];
  const read = leader.keepForReader();
  assert.ok(await request(leader, 5 * STEP).isGranted());
  const waiting = request(other, 5 * STEP);
  leader.close();
  assert.deepEqual([await waiting.isGranted(), capacity.held()], [false, 5 * STEP]);
  read();
  assert.deepEqual([await waiting.isGranted(), capacity.held()], [true, 5 * STEP]);
});

test("memory that becomes free goes to those who wait, while the response that leads goes on", async () => {
  const { capacity } = start(5);
  const [large, leader, small, other] = [capacity.open(), capacity.open(), capacity.open(), capacity.open()];
  assert.ok(await request(large, 4 * STEP).isGranted());
  assert.ok(await request(leader, 3 * STEP).isGranted(), "beyond the capacity: it leads");
  const [first, second] = [request(small, 2 * STEP), request(other, 3 * STEP)];
  assert.ok(!(await first.isGranted()));
  large.close();
  assert.deepEqual([await first.isGranted(), await second.isGranted(), capacity.held()], [true, false, 5 * STEP]);
  for (const reservation of [leader, small, other]) reservation.close();
  assert.equal(capacity.held(), 0);
});

test("bytes stay counted until the last reader of an ended response has gone", async () => {
  const { capacity } = start(4);
  const reservation = capacity.open();
  const [first, second] = [reservation.keepForReader(), reservation.keepForReader()];
  assert.ok(await request(reservation, 3 * STEP).isGranted());
  reservation.close();
  first();
  assert.equal(capacity.held(), 3 * STEP);
  second();
  assert.equal(capacity.held(), 0);
});

test("a response that ends while it waits is resumed", async () => {
  const { clock, capacity } = start(1);
  const [leader, other] = [capacity.open(), capacity.open()];
  assert.ok(await request(leader, 5 * STEP).isGranted());
  const waiting = request(other, 5 * STEP);
  other.close();
  assert.ok(await waiting.isGranted());
  leader.close();
  assert.equal(capacity.held(), 0);
  assert.equal(clock.pending, 0);
});
