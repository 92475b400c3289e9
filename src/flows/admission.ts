// How many creates may be on their way from arrival to begin at once. It is the work that costs this process its time, and the only
// queue that grows when more comes in than can be served: what is over it is refused at once, so that what was let in stays quick.
// @spec errors (gateway_overloaded); docs/decisions/overload.md
import { Refusal } from "../contract/errors.ts";

export interface Admission {
  /** Does work under the limit; refuses 503 `gateway_overloaded` when it is reached: nothing was created. */
  during<T>(work: () => Promise<T>): Promise<T>;
}

export function createAdmission(max: number): Admission {
  let admitted = 0;
  return {
    async during(work) {
      if (admitted >= max) {
        throw new Refusal("gateway_overloaded", "The service is overloaded: nothing was created, try again.", {
          retryAfterSeconds: 1,
        });
      }
      admitted++;
      try {
        return await work();
      } finally {
        admitted--;
      }
    },
  };
}
