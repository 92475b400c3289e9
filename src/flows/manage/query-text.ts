// Query parameters that are texts.
import { NONE } from "../../contract/money.ts";

/** The text of a filter: null without one, "" (from `none`) for rows that have none. */
export function textOrNone(text: string | null): string | null {
  return text === NONE ? "" : text;
}

/** A value in a message. */
export function quote(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}
