// Reads a value of the file by the rules of the management interface.
import { ApiError } from "../../contract/errors.ts";
import { AccountsFileFault, type Place } from "./account-change.ts";

/** Reads a value; its 400 becomes a fault at the value's place. */
export function readAt<Value>(place: Place, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The message begins with the name of the field, which the place has.
    throw new AccountsFileFault(place, error.message.replace(/^(name|email) /, ""));
  }
}
