// JSON that the store has written.
import { StoreError } from "../../ports/store/store.ts";

/**
 * Parses a text that the store wrote itself. Throws a StoreError (`failed`) when it does not parse: the row is damaged.
 * `what` names it in the message.
 */
export function parseStored<Value>(text: string, what: string, parse: (text: string) => unknown = JSON.parse): Value {
  try {
    return parse(text) as Value;
  } catch (error) {
    throw new StoreError("failed", `The stored ${what} cannot be read.`, { cause: error });
  }
}
