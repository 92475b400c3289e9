// docs/reliability.md, A-5, A-9
import assert from "node:assert/strict";
import { test } from "node:test";
import { createManualClock } from "../../../test/support/provider-samples.ts";
import { createOutputRoom, type OutputRoom, type OutputShare } from "./output-capacity.ts";

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
  const gaveWay: string[] = [];
  const room = createOutputRoom(steps * STEP, clock);
  /** The output of a response of an organization's only key. */
  const open = (organizationId = "a", isRead = true) =>
    room.open({
      owner: { organizationId, keyId: `key of ${organizationId}` },
      isRead: () => isRead,
      giveWay: () => void gaveWay.push(organizationId),
    });
  return { clock, room: { open, held: room.held } satisfies Pick<OutputRoom, "held"> & { open: unknown }, gaveWay };
}

test("a short output is not counted", () => {
  const { room } = start(1);
  for (let response = 0; response < 1000; response++) assert.equal(room.open().hold(STEP), undefined);
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

test("without room one response continues and the others wait for its end, first come, first served", async () => {
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

test("a response that continues without room keeps its place while its provider sends, however little", async () => {
  const { clock, room, gaveWay } = start(1);
  const [leader, other] = [room.open("a", false), room.open("b")];
  assert.ok(await request(leader, 5 * STEP).isGranted());
  const waiting = request(other, 5 * STEP);
  for (let second = 0; second < 100; second++) {
    leader.hold(5 * STEP + second);
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
    const { clock, room, gaveWay } = start(1);
    const [leader, other] = [room.open("a", isRead), room.open("b")];
    assert.ok(await request(leader, 5 * STEP).isGranted());
    clock.advance(100_000);
    assert.deepEqual(gaveWay, [], "nobody waits");
    leader.hold(5 * STEP);
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
    assert.deepEqual([room.held(), clock.pending], [0, 0]);
  });
}

test("one key leaves room to others, also what it continues with beyond its share", async () => {
  const { room } = start(100);
  const flood = Array.from({ length: 100 }, () => room.open());
  const waiting = flood.map((share) => request(share, 10 * STEP));
  const granted = await Promise.all(waiting.map(({ isGranted }) => isGranted()));
  assert.deepEqual(
    [granted.filter(Boolean).length, room.held() / STEP],
    [8, 80],
    "seven in its share, and one that leads",
  );
  assert.ok(await request(room.open("b"), 20 * STEP).isGranted());
});

test("organizations take turns in continuing without room", async () => {
  const { room } = start(1);
  const [first, second, third, other] = [room.open(), room.open(), room.open(), room.open("b")];
  const grants = [first, second, third, other].map((share) => request(share, 5 * STEP));
  const areGranted = () => Promise.all(grants.map(({ isGranted }) => isGranted()));
  assert.deepEqual(await areGranted(), [true, false, false, false]);
  first.close();
  assert.deepEqual(await areGranted(), [true, true, false, false]);
  second.close();
  assert.deepEqual(await areGranted(), [true, true, false, true], "the other organization's turn");
});

test("memory is bounded: the next one continues without room once a slow reader has read the last one", async () => {
  const { room } = start(1);
  const [leader, other] = [room.open(), room.open("b")];
  const read = leader.keep();
  assert.ok(await request(leader, 5 * STEP).isGranted());
  const waiting = request(other, 5 * STEP);
  leader.close();
  assert.deepEqual([await waiting.isGranted(), room.held()], [false, 5 * STEP]);
  read();
  assert.deepEqual([await waiting.isGranted(), room.held()], [true, 5 * STEP]);
});

test("room that becomes free goes to those who wait, while the response that leads goes on", async () => {
  const { room } = start(5);
  const [large, leader, small, other] = [room.open(), room.open(), room.open(), room.open()];
  assert.ok(await request(large, 4 * STEP).isGranted());
  assert.ok(await request(leader, 3 * STEP).isGranted(), "beyond the room: it leads");
  const [first, second] = [request(small, 2 * STEP), request(other, 3 * STEP)];
  assert.ok(!(await first.isGranted()));
  large.close();
  assert.deepEqual([await first.isGranted(), await second.isGranted(), room.held()], [true, false, 5 * STEP]);
  for (const share of [leader, small, other]) share.close();
  assert.equal(room.held(), 0);
});

test("bytes stay counted until the last reader of an ended response has gone", async () => {
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

test("a response that ends while it waits is resumed", async () => {
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
