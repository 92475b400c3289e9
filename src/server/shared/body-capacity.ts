// How many bytes of request bodies, and of histories on their way to a provider, are held in memory at once. The bytes of
// a body are reserved as they arrive: one that is announced and not sent takes nothing. A body that does not fit is rejected, and what it held is free at once, so that bodies
// never wait for each other. No organization and no key takes the whole. Small bodies have a capacity of their own, which
// large ones cannot use up. docs/decisions/bodies.md, docs/decisions/shares.md
import { FairCapacity, type Owner } from "../../base/fair-capacity.ts";
import { ApiError } from "../../contract/errors.ts";

/** Bodies up to this size are small, bytes: nearly all requests. */
export const SMALL_BYTES = 64 * 1024;

/** The largest body has to fit into the share of one key, which is 72 % of the whole. */
const WHOLE_PER_BODY = 1.4;

/** The capacity for bodies and how much of it is reserved. */
export class BodyCapacity {
  readonly #small: FairCapacity;
  readonly #large: FairCapacity;

  /**
   * At least `bytesMax` bytes for large bodies, and as many for small ones; more if the largest body, of `bodyBytesMax`
   * bytes, does not fit into a share of that.
   */
  constructor(bytesMax: number, bodyBytesMax: number) {
    const whole = Math.max(bytesMax, Math.ceil(bodyBytesMax * WHOLE_PER_BODY));
    this.#small = new FairCapacity(whole, SMALL_BYTES);
    this.#large = new FairCapacity(whole, SMALL_BYTES);
  }

  get bytesReserved(): number {
    return this.#small.held + this.#large.held;
  }

  /** Whether a reservation could grow so far now. */
  fits(owner: Owner, from: number, to: number): boolean {
    if (to <= SMALL_BYTES) return to - from <= this.#small.roomOf(owner);
    return to - largePart(from) <= this.#large.roomOf(owner);
  }

  /** Changes the size of one reservation; returns false and changes nothing when it does not fit. */
  change(owner: Owner, from: number, to: number): boolean {
    if (to > from && !this.fits(owner, from, to)) return false;
    this.#small.giveBack(owner, smallPart(from));
    this.#large.giveBack(owner, largePart(from));
    this.#small.take(owner, smallPart(to));
    this.#large.take(owner, largePart(to));
    return true;
  }
}

function smallPart(bytes: number): number {
  return bytes <= SMALL_BYTES ? bytes : 0;
}

function largePart(bytes: number): number {
  return bytes <= SMALL_BYTES ? 0 : bytes;
}

/** The capacity that one request's body uses. */
export class BodyReservation {
  readonly #capacity: BodyCapacity;
  readonly #owner: () => Owner;
  #bytes = 0;
  #isKept = false;

  /** `owner` is asked when the body is read: by then the request's caller is known. */
  constructor(capacity: BodyCapacity, owner: () => Owner) {
    this.#capacity = capacity;
    this.#owner = owner;
  }

  /** Throws 503 `gateway_overloaded` when a body of so many bytes would not fit now; reserves nothing. */
  assertFits(bytes: number): void {
    if (!this.#capacity.fits(this.#owner(), this.#bytes, bytes)) throw overloadedError();
  }

  /** Grows the reservation to `bytes`; throws 503 `gateway_overloaded` when that does not fit. */
  reserve(bytes: number): void {
    if (!this.tryReserve(bytes)) throw overloadedError();
  }

  /** Grows the reservation to `bytes`; false, and nothing changes, when that does not fit. */
  tryReserve(bytes: number): boolean {
    if (!this.#capacity.change(this.#owner(), this.#bytes, bytes)) return false;
    this.#bytes = bytes;
    return true;
  }

  /** Releases what is beyond so many bytes. */
  shrinkTo(bytesMax: number): void {
    if (this.#bytes <= bytesMax) return;
    this.#capacity.change(this.#owner(), this.#bytes, bytesMax);
    this.#bytes = bytesMax;
  }

  /** Releases the reservation at the end of the request, unless it is kept longer. */
  release(): void {
    if (!this.#isKept) this.shrinkTo(0);
  }

  /**
   * Keeps `bytes`, the part of the body that stays in memory, reserved until `end` settles. The rest is released now.
   */
  keepUntil(end: Promise<unknown>, bytes: number): void {
    this.shrinkTo(bytes <= SMALL_BYTES ? 0 : bytes);
    if (this.#bytes === 0) return;
    this.#isKept = true;
    const releaseAll = () => this.shrinkTo(0);
    end.then(releaseAll, releaseAll);
  }
}

function overloadedError(): ApiError {
  return new ApiError(
    "gateway_overloaded",
    "The service has no memory left for request bodies and histories, or your organization or key has used its share. " +
      "Nothing was created: try again.",
  );
}
