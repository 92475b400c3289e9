// A stored response as the reply to a retrieve, a cancel or a retry. Memory for a long one is reserved before it is read.
import { parseExactly } from "../../base/exact-json.ts";
import type { OutputItem } from "../../contract/items.ts";
import type { JsonText } from "../../core/history/item-list.ts";
import { type LongResponse, presentLongResponse, unreadableOf } from "../../core/response/present-long.ts";
import { presentResponse } from "../../core/response/present.ts";
import type { StoredResponse, ResponseHead } from "../../core/response/response.ts";
import type { Caller } from "../../ports/store/histories.ts";
import { needsRoom, SHORT_BYTES } from "../../ports/store/room.ts";
import type { Services } from "../../ports/services.ts";
import { readWithRoom } from "../read-with-room.ts";
import type { Reply, RequestContext } from "../request-context.ts";
import { yieldToEventLoop } from "../yield-to-event-loop.ts";

/** A stored response; a long one with its parts as they are stored. */
export type ReadResponse = StoredResponse | LongResponse;

/**
 * A visible response as it is now; null for every cause of the uniform 404. Throws 503 `gateway_overloaded` when
 * there is no memory for it.
 */
export async function readVisible(
  { store }: Pick<Services, "store">,
  context: Pick<RequestContext, "reserveReply">,
  query: { readonly caller: Caller; readonly responseId: string },
): Promise<ReadResponse | null> {
  const short = await store.readShortResponse(query);
  if (!needsRoom(short)) return short;
  return readWithRoom(context, (room) => store.readLongResponse({ ...query, room }));
}

/** The status of a stored response. */
export function statusOf(stored: ReadResponse): StoredResponse["status"] {
  return "response" in stored ? stored.response.status : stored.status;
}

/**
 * A stored response with all its parts as values. Between those that take noticeable time other requests are served.
 */
export async function wholeResponse(stored: ReadResponse): Promise<StoredResponse> {
  if (!("response" in stored)) return stored;
  const { response, members, output } = stored;
  const head: Record<string, unknown> = { ...response.head };
  for (const [name, json] of members) {
    head[name] = parseExactly(textOf(json));
    // oxlint-disable-next-line no-await-in-loop -- divides the work over turns of the event loop
    await yieldToEventLoop();
  }
  const whole = { ...response, head: head as unknown as ResponseHead } as StoredResponse;
  if (whole.end === null) return whole;
  const items: OutputItem[] = [];
  let bytes = 0;
  for (const item of output) {
    if (!item.readable) continue;
    items.push(JSON.parse(textOf(item.text)) as OutputItem);
    bytes += item.text.length;
    if (bytes < SHORT_BYTES) continue;
    bytes = 0;
    // oxlint-disable-next-line no-await-in-loop -- as above
    await yieldToEventLoop();
  }
  return { ...whole, end: { ...whole.end, output: items, ...unreadableOf(output) } };
}

const TEXT = new TextDecoder("utf-8", { ignoreBOM: true });

function textOf(json: JsonText): string {
  return typeof json === "string" ? json : TEXT.decode(json);
}

/**
 * The reply with the object of a stored response. By default encrypted reasoning is included as its create
 * asked.
 */
export function replyWith(stored: ReadResponse, includesEncryptedContent?: boolean): Reply {
  return "response" in stored
    ? { kind: "json_text", pieces: presentLongResponse(stored, includesEncryptedContent) }
    : { kind: "json", body: presentResponse(stored, includesEncryptedContent) };
}
