// What one reply reserves of the memory for replies. It is reserved before the content is read, and given
// back when the reply is sent or its client is gone. docs/decisions/replies.md
import type { ServerResponse } from "node:http";
import type { FairCapacity, Owner } from "../../base/fair-capacity.ts";
import { ApiError } from "../../contract/errors.ts";

/** The reservation of one reply. */
export class ReplyReservation {
  readonly #capacity: FairCapacity;
  readonly #response: ServerResponse;
  #bytes = 0;

  constructor(capacity: FairCapacity, response: ServerResponse) {
    this.#capacity = capacity;
    this.#response = response;
  }

  /** Grows to so many bytes. Throws 503 `gateway_overloaded` when that does not fit into the owner's share. */
  growTo(owner: Owner, bytes: number): void {
    const more = bytes - this.#bytes;
    if (more <= 0) return;
    if (!this.#capacity.tryTake(owner, more)) {
      // The largest replies of a service with little memory are sent one at a time.
      if (this.#capacity.held > this.#bytes) throw noCapacityError();
      this.#capacity.take(owner, more);
    }
    const isFirst = this.#bytes === 0;
    this.#bytes = bytes;
    const giveBack = () => {
      this.#capacity.giveBack(owner, this.#bytes);
      this.#bytes = 0;
    };
    if (isFirst && this.#response.closed) giveBack();
    else if (isFirst) this.#response.once("close", giveBack);
  }
}

function noCapacityError(): ApiError {
  return new ApiError(
    "gateway_overloaded",
    "The service has no memory left for long replies. Finish reading the open ones, or try again.",
  );
}
