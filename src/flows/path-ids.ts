// The ids of a path. A malformed one is a thing that does not exist: the uniform 404. @spec errors
import { notFound } from "../contract/errors.ts";
import { type IdKind, isIdOf } from "../contract/ids.ts";
import type { Exchange } from "./exchange.ts";

/** The `response_id` of a path. */
export function responseIdOf(exchange: Exchange): string {
  return pathId(exchange, "response_id", "response");
}

/** The `conversation_id` of a path. */
export function conversationIdOf(exchange: Exchange): string {
  return pathId(exchange, "conversation_id", "conversation");
}

/** The `item_id` of a path; items have several prefixes, the store tells whether there is one. */
export function itemIdOf(exchange: Exchange): string {
  const id = exchange.params["item_id"];
  if (id === undefined || id.includes("\u0000") || !id.isWellFormed()) throw notFound();
  return id;
}

function pathId(exchange: Exchange, name: string, kind: IdKind): string {
  const id = exchange.params[name];
  if (id === undefined || !isIdOf(kind, id)) throw notFound();
  return id;
}
