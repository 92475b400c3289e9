// How many bytes of request bodies are held in memory at once. Capacity is reserved before a body is read; a body that
// does not fit is rejected and never buffered. Small bodies have a capacity of their own, which large ones cannot use
// up. docs/decisions/bodies.md
import { ApiError } from "../../contract/errors.ts";

/** Bodies up to this size are small, bytes: nearly all requests. */
const SMALL_BYTES = 64 * 1024;

/** The capacity for bodies and how much of it is reserved. */
export class BodyCapacity {
  readonly #bytesMax: number;
  #small = 0;
  #large = 0;

  /** `bytesMax` bytes for large bodies, and as many for small ones. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytesReserved(): number {
    return this.#small + this.#large;
  }

  /** Changes the size of one reservation; returns false and changes nothing when it does not fit. */
  change(from: number, to: number): boolean {
    const small = this.#small - smallPart(from) + smallPart(to);
    const large = this.#large - largePart(from) + largePart(to);
    if (to > from && (small > this.#bytesMax || large > this.#bytesMax)) return false;
    this.#small = small;
    this.#large = large;
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
  #bytes = 0;
  #isKept = false;

  constructor(capacity: BodyCapacity) {
    this.#capacity = capacity;
  }

  /** Grows the reservation to `bytes`; throws 503 `gateway_overloaded` when that does not fit. */
  reserve(bytes: number): void {
    if (!this.#capacity.change(this.#bytes, bytes)) throw overloadedError();
    this.#bytes = bytes;
  }

  /** Releases the reservation at the end of the request, unless it is kept longer. */
  release(): void {
    if (!this.#isKept) this.#shrinkTo(0);
  }

  /**
   * Keeps `bytes`, the part of the body that stays in memory, reserved until `end` settles. The rest is released now.
   */
  keepUntil(end: Promise<unknown>, bytes: number): void {
    this.#shrinkTo(bytes <= SMALL_BYTES ? 0 : bytes);
    if (this.#bytes === 0) return;
    this.#isKept = true;
    const releaseAll = () => this.#shrinkTo(0);
    end.then(releaseAll, releaseAll);
  }

  #shrinkTo(bytesMax: number): void {
    const bytes = Math.min(bytesMax, this.#bytes);
    this.#capacity.change(this.#bytes, bytes);
    this.#bytes = bytes;
  }
}

function overloadedError(): ApiError {
  return new ApiError(
    "gateway_overloaded",
    "The service is holding as many bytes of request bodies as it can. Nothing was created; try again.",
  );
}
