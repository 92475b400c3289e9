// One organization floods what all share, and two others work on: docs/decisions/shares.md. Time is counted in steps, so
// that the waits are those of the rules and not of the machine.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../src/contract/errors.ts";
import { createOutputCapacity } from "../../src/flows/run/output-capacity.ts";
import { createSlots } from "../../src/flows/run/slots.ts";
import { BodyCapacity, BodyReservation } from "../../src/server/shared/body-capacity.ts";
import { createManualClock } from "../support/provider-samples.ts";

const STEPS_A_SECOND = 10;
const STEPS = 120 * STEPS_A_SECOND;
const MEDIAN_MAX = 2 * STEPS_A_SECOND;
const MIB = 1024 * 1024;

type Owner = { readonly organizationId: string; readonly keyId: string };

/** Takes a share of something. Null: there is none for this owner now; else when it is granted, and how it is given back. */
type Take = (owner: Owner) => { readonly granted: Promise<unknown>; release(): void } | null;

const settled = () => new Promise((resolve) => setImmediate(resolve));
const ownerOf = (organizationId: string): Owner => ({ organizationId, keyId: `key of ${organizationId}` });

/**
 * Three organizations for two minutes: one takes all that it gets and holds it for up to 4 seconds; the others want one
 * thing a second each, hold it for one, and ask again after a second when there is none. Returns the waits of the two.
 */
async function play(take: Take): Promise<readonly number[]> {
  const waits: number[] = [];
  const ends = new Map<number, (() => void)[]>();
  const at = (step: number, work: () => void) => ends.set(step, [...(ends.get(step) ?? []), work]);
  let now = 0;
  let flooded = 0;
  const want = (owner: Owner, holdSteps: () => number, since: number | null): boolean => {
    const taken = take(owner);
    if (taken === null) {
      if (since !== null) at(now + STEPS_A_SECOND, () => want(owner, holdSteps, since));
      return false;
    }
    const hold = async () => {
      await taken.granted;
      if (since !== null) waits.push(now - since);
      at(now + holdSteps(), () => taken.release());
    };
    void hold();
    return true;
  };
  for (; now < STEPS; now++) {
    for (const work of ends.get(now) ?? []) work();
    while (want(ownerOf("flooding"), () => 1 + ((flooded++ * 7) % (4 * STEPS_A_SECOND)), null));
    if (now % STEPS_A_SECOND === 0) {
      for (const name of ["one", "two"]) want(ownerOf(name), () => STEPS_A_SECOND, now);
    }
    // oxlint-disable-next-line no-await-in-loop -- one step after another
    await settled();
  }
  assert.ok(waits.length > 200, `${waits.length} of 240 were served`);
  return waits;
}

async function assertShortWaits(take: Take): Promise<void> {
  const waits = (await play(take)).toSorted((one, other) => one - other);
  const median = waits[Math.floor(waits.length / 2)] ?? Infinity;
  assert.ok(median < MEDIAN_MAX, `a median wait of ${median / STEPS_A_SECOND} s`);
}

/** What a rejection for want of room becomes: null. */
function unlessFull<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

test("slots: two organizations beside a flood wait for less than two seconds", async () => {
  const slots = createSlots(8, 200);
  await assertShortWaits((owner) => unlessFull(() => slots.take(owner, { ofOrganization: null, ofKey: null })));
});

test("bodies: two organizations beside a flood wait for less than two seconds", async () => {
  const capacity = new BodyCapacity(64 * MIB, 32 * MIB);
  await assertShortWaits((owner) =>
    unlessFull(() => {
      const body = new BodyReservation(capacity, () => owner);
      body.reserve(4 * MIB);
      return { granted: Promise.resolve(), release: () => body.release() };
    }),
  );
});

test("outputs: two organizations beside a flood wait for less than two seconds", async () => {
  const capacity = createOutputCapacity(64 * MIB, createManualClock());
  let flooding = 0;
  await assertShortWaits((owner) => {
    const isFlood = owner.organizationId === "flooding";
    // Its responses wait for room as those of the others do; so many run at once.
    if (isFlood && flooding >= 100) return null;
    flooding += isFlood ? 1 : 0;
    const reservation = capacity.open({ owner, isRead: () => true, giveWay: () => {} });
    return {
      granted: Promise.resolve(reservation.growTo(4 * MIB)),
      release() {
        flooding -= isFlood ? 1 : 0;
        reservation.close();
      },
    };
  });
});
