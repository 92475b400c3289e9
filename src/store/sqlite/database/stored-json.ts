// JSON as the store keeps it.
import { StoreError } from "../../../ports/store.ts";

/** The value of a text that the store wrote itself; throws a StoreError (`failed`) for one that does not parse: a damaged row. `what` names it. */
export function parseStored<Value>(text: string, what: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch (error) {
    throw new StoreError("failed", `The stored ${what} cannot be read.`, { cause: error });
  }
}
