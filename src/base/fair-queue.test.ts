// docs/reliability.md, A-9
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../test/support/fast-check.ts";
import { FairCapacity, type Owner } from "./fair-capacity.ts";
import { FairQueue } from "./fair-queue.ts";

interface Entry {
  readonly owner: Owner;
  readonly name: string;
}

function queueOf(names: readonly string[]): FairQueue<Entry> {
  const queue = new FairQueue<Entry>();
  for (const name of names) {
    const owner = { organizationId: name.charAt(0), keyId: name.slice(0, 2) };
    queue.add(owner, { owner, name });
  }
  return queue;
}

function takeAll(queue: FairQueue<Entry>): readonly string[] {
  const names: string[] = [];
  for (let next = queue.takeNext(); next !== undefined; next = queue.takeNext()) names.push(next.name);
  return names;
}

test("organizations take turns, their keys take turns, and a key is served in order of arrival", () => {
  const queue = queueOf(["a1-first", "a1-second", "a1-third", "a2-first", "a2-second", "b1-first", "b1-second"]);
  assert.equal(queue.size, 7);
  assert.deepEqual(takeAll(queue), [
    "a1-first",
    "b1-first",
    "a2-first",
    "b1-second",
    "a1-second",
    "a2-second",
    "a1-third",
  ]);
  assert.equal(queue.size, 0);
});

test("an entry that may not pass holds up its key, and no other", () => {
  const queue = queueOf(["a1-large", "a1-small", "a2-small", "b1-small"]);
  const isSmall = ({ name }: Entry) => name.endsWith("small");
  const taken = [1, 2, 3].map(() => queue.takeNext(isSmall)?.name);
  assert.deepEqual(taken, ["a2-small", "b1-small", undefined]);
  assert.deepEqual(takeAll(queue), ["a1-large", "a1-small"]);
});

test("an entry leaves once, from any place, and not after it was taken", () => {
  const queue = new FairQueue<Entry>();
  const owner = { organizationId: "a", keyId: "a1" };
  const leave = ["first", "second", "third"].map((name) => queue.add(owner, { owner, name }));
  assert.deepEqual([leave[1]?.(), leave[1]?.(), queue.size], [true, false, 2]);
  assert.equal(queue.takeNext()?.name, "first");
  assert.equal(leave[0]?.(), false);
  assert.deepEqual([leave[2]?.(), queue.takeNext(), queue.size], [true, undefined, 0]);
});

/** What happens to a capacity of single units with a queue before it. */
type Step = { readonly kind: "arrive" | "end" | "leave"; readonly owner: Owner; readonly at: number };

const step = fc
  .record({
    kind: fc.constantFrom("arrive" as const, "arrive" as const, "end" as const, "leave" as const),
    // The first organization floods.
    organization: fc.constantFrom("a", "a", "a", "a", "b", "c"),
    key: fc.constantFrom("1", "1", "1", "2"),
    at: fc.nat({ max: 1000 }),
  })
  .map(({ kind, organization, key, at }): Step => {
    return { kind, owner: { organizationId: organization, keyId: organization + key }, at };
  });

/** A capacity of units with its queue, and for whom others were served while it had room. */
function createPlaces(max: number) {
  const capacity = new FairCapacity(max);
  const queue = new FairQueue<Entry>();
  const waiting = new Map<Entry, () => boolean>();
  const running: Owner[] = [];
  /** For each waiting organization with room: how often each other one was served before it. */
  const passedBy = new Map<string, Map<string, number>>();
  const hasRoom = ({ owner }: Entry) => capacity.roomOf(owner) >= 1;

  function serve(): void {
    for (;;) {
      const eligible = new Set([...waiting.keys()].filter(hasRoom).map(({ owner }) => owner.organizationId));
      const entry = queue.takeNext((next) => capacity.tryTake(next.owner, 1));
      if (entry === undefined) {
        assert.deepEqual([...eligible], [], "somebody waits for what is free");
        return;
      }
      const { organizationId } = entry.owner;
      assert.ok(eligible.delete(organizationId));
      waiting.delete(entry);
      running.push(entry.owner);
      passedBy.delete(organizationId);
      for (const other of eligible) {
        const passes = passedBy.get(other) ?? new Map<string, number>();
        passes.set(organizationId, (passes.get(organizationId) ?? 0) + 1);
        passedBy.set(other, passes);
        assert.ok(passes.get(organizationId) === 1, `${organizationId} was served twice before ${other}`);
      }
    }
  }

  return {
    waiting,
    running,
    capacity,
    arrive(owner: Owner) {
      const entry = { owner, name: "" };
      if (capacity.tryTake(owner, 1)) running.push(owner);
      else waiting.set(entry, queue.add(owner, entry));
    },
    end(at: number) {
      const [owner] = running.splice(at % Math.max(1, running.length), 1);
      if (owner !== undefined) capacity.giveBack(owner, 1);
      serve();
    },
    leave(at: number) {
      const entry = [...waiting.keys()][at % Math.max(1, waiting.size)];
      if (entry === undefined) return;
      assert.equal(waiting.get(entry)?.(), true);
      waiting.delete(entry);
      const { organizationId } = entry.owner;
      if (![...waiting.keys()].some(({ owner }) => owner.organizationId === organizationId))
        passedBy.delete(organizationId);
    },
  };
}

test("nobody waits for what is free, no organization is served twice before another with room, and all are served", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.array(step, { maxLength: 150 }), (max, steps) => {
      const places = createPlaces(max);
      for (const { kind, owner, at } of steps) {
        if (kind === "arrive") places.arrive(owner);
        else places[kind](at);
        assert.ok(places.capacity.held <= max);
        assert.equal(places.capacity.held, places.running.length);
      }
      // When arrivals stop, the queue drains as those that run end, in whatever order.
      for (let ends = 0; places.waiting.size > 0; ends++) {
        assert.ok(places.running.length > 0, "all wait and nothing runs");
        places.end(ends * 7);
      }
    }),
    { numRuns: 300 },
  );
});

test("beside an organization that floods, another runs at once, and grows as soon as the flood shrinks", () => {
  const places = createPlaces(100);
  const heldBy = (name: string) => places.capacity.heldBy(name);
  for (let count = 0; count < 500; count++) places.arrive({ organizationId: "a", keyId: `a${count}` });
  for (let count = 0; count < 40; count++) places.arrive({ organizationId: "b", keyId: "b" });
  const [flood, other] = [heldBy("a"), heldBy("b")];
  assert.equal(flood, 80);
  assert.ok(other >= 14, String(other));
  for (let ends = 0; ends < 10; ends++)
    places.end(places.running.findIndex(({ organizationId }) => organizationId === "a"));
  assert.equal(heldBy("a"), 70);
  assert.ok(heldBy("b") >= other + 7, String(heldBy("b")));
});
