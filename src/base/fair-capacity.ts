// A capacity, in units or bytes, that organizations share, and within them their keys. None takes it all: an
// organization may hold four times what it leaves free for others, so 80 % when it is alone, 44 % beside a second one
// that wants as much. A key may hold nine times what it leaves of the room of its organization.
// docs/decisions/shares.md
import { LiveMap } from "./live-map.ts";

/** Whose share it is. */
export interface Owner {
  readonly organizationId: string;
  readonly keyId: string;
}

/** An organization holds at most this many times what it leaves free. */
const ORGANIZATION_TIMES = 4;
/** A key holds at most this many times what it leaves of its organization's room. */
const KEY_TIMES = 9;

/** What an organization holds, and each of its keys. */
interface Held {
  amount: number;
  readonly ofKeys: Map<string, number>;
}

/** A capacity and who holds how much of it. */
export class FairCapacity {
  readonly #max: number;
  readonly #step: number;
  readonly #organizations = new LiveMap<string, Held>();
  #held = 0;

  /**
   * `max` units or bytes. `step` is the amount that counts as one: a capacity of at most four steps can be held by one
   * key, because a share of it would round to nothing.
   */
  constructor(max: number, step = 1) {
    this.#max = max;
    this.#step = step;
  }

  /** How much all hold. */
  get held(): number {
    return this.#held;
  }

  /** How much an organization holds, or a key. */
  heldBy(owner: string | Owner): number {
    if (typeof owner === "string") return this.#organizations.get(owner)?.amount ?? 0;
    return this.#organizations.get(owner.organizationId)?.ofKeys.get(owner.keyId) ?? 0;
  }

  /** How much more the owner may take now: never more than is free, 0 when it holds its share. */
  roomOf({ organizationId, keyId }: Owner): number {
    const held = this.#organizations.get(organizationId);
    const room = roomWithin(this.#max - this.#held, held?.amount ?? 0, ORGANIZATION_TIMES, this.#step);
    return keyRoom(room, held?.ofKeys.get(keyId) ?? 0, this.#step);
  }

  /** Takes an amount for the owner; false, and nothing is taken, when that is more than its room. */
  tryTake(owner: Owner, amount: number): boolean {
    if (amount > this.roomOf(owner)) return false;
    this.take(owner, amount);
    return true;
  }

  /** Takes an amount, whether there is room for it or not. */
  take({ organizationId, keyId }: Owner, amount: number): void {
    if (amount === 0) return;
    let held = this.#organizations.get(organizationId);
    if (held === undefined) {
      held = { amount: 0, ofKeys: new Map() };
      this.#organizations.set(organizationId, held);
    }
    this.#held += amount;
    held.amount += amount;
    held.ofKeys.set(keyId, (held.ofKeys.get(keyId) ?? 0) + amount);
  }

  /** Gives back an amount that the owner has taken. */
  giveBack({ organizationId, keyId }: Owner, amount: number): void {
    const held = this.#organizations.get(organizationId);
    if (held === undefined) return;
    this.#held -= amount;
    held.amount -= amount;
    const left = (held.ofKeys.get(keyId) ?? 0) - amount;
    if (left === 0) held.ofKeys.delete(keyId);
    else held.ofKeys.set(keyId, left);
    if (held.amount === 0) this.#organizations.take(organizationId);
  }
}

/** The most of a capacity that an organization holds when it is alone: 80 %, rounded up. */
export function shareAlone(max: number): number {
  return Math.ceil((max * ORGANIZATION_TIMES) / (ORGANIZATION_TIMES + 1));
}

/** The room of a key that holds `held` in an organization that may take `room` more; see {@link FairCapacity}. */
export function keyRoom(room: number, held: number, step = 1): number {
  return roomWithin(room, held, KEY_TIMES, step);
}

/**
 * The most that may be taken of `free`: what is held afterwards must be less than `times` what is left free. The last
 * step is not counted, so that a small capacity can be held whole.
 */
function roomWithin(free: number, held: number, times: number, step: number): number {
  const below = (times * (free + step) + step - held) / (times + 1);
  return Math.max(0, Math.min(free, Math.ceil(below) - 1));
}
