// Reads the query of an item list. @spec endpoints/get-conversations-id-items
import { invalidInput } from "../../contract/errors.ts";
import { ITEM_LIST_LIMIT_DEFAULT, ITEM_LIST_LIMIT_MAX, ITEM_LIST_LIMIT_MIN } from "../../contract/limits.ts";
import { readIncludeOfQuery } from "./include-list.ts";
import { describe } from "./json-value.ts";

export interface ItemPageQuery {
  readonly limit: number;
  readonly order: "asc" | "desc";
  /** Item id; null: from the start of the order. */
  readonly after: string | null;
  readonly includesEncryptedContent: boolean;
}

/** Reads limit, order, after and include. Throws 400 naming the parameter. */
export function readItemPage(query: ReadonlyMap<string, readonly string[]>): ItemPageQuery {
  return {
    limit: readLimit(query.get("limit")?.at(-1)),
    order: readOrder(query.get("order")?.at(-1)),
    after: query.get("after")?.at(-1) ?? null,
    includesEncryptedContent: readIncludeOfQuery(query.get("include")),
  };
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return ITEM_LIST_LIMIT_DEFAULT;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(limit >= ITEM_LIST_LIMIT_MIN && limit <= ITEM_LIST_LIMIT_MAX)) {
    const range = `from ${ITEM_LIST_LIMIT_MIN} to ${ITEM_LIST_LIMIT_MAX}`;
    throw invalidInput("limit", `limit must be an integer ${range}, not ${describe(text)}.`);
  }
  return limit;
}

function readOrder(text: string | undefined): "asc" | "desc" {
  if (text === undefined) return "asc";
  if (text !== "asc" && text !== "desc")
    throw invalidInput("order", `order must be asc or desc, not ${describe(text)}.`);
  return text;
}
