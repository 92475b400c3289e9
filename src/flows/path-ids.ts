// The ids of a path. A malformed id names nothing: the uniform 404. @spec errors
import { notFound } from "../contract/errors.ts";
import { type IdKind, isIdOf } from "../contract/ids.ts";
import type { RequestContext } from "./request-context.ts";

/** The `response_id` of a path. */
export function responseIdOf(context: RequestContext): string {
  return pathId(context, "response_id", "response");
}

/** The `conversation_id` of a path. */
export function conversationIdOf(context: RequestContext): string {
  return pathId(context, "conversation_id", "conversation");
}

/** The `item_id` of a path. Item ids have several prefixes; the store decides whether one exists. */
export function itemIdOf(context: RequestContext): string {
  const id = context.params["item_id"];
  if (id === undefined || id.includes("\u0000") || !id.isWellFormed()) throw notFound();
  return id;
}

function pathId(context: RequestContext, name: string, kind: IdKind): string {
  const id = context.params[name];
  if (id === undefined || !isIdOf(kind, id)) throw notFound();
  return id;
}
