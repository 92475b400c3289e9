// Reads what may be long for a reply: the reply has its room before anything is read. docs/decisions/replies.md
import { type NeedsRoom, needsRoom, SHORT_BYTES } from "../ports/store/room.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * Calls `read` with the room of a short reply, and again with more when that is not enough. Throws 503
 * `gateway_overloaded` when there is no room.
 */
export async function readWithRoom<Found>(
  { reserveReply }: Pick<RequestContext, "reserveReply">,
  read: (room: number) => Promise<Found | NeedsRoom>,
): Promise<Found> {
  for (let room = SHORT_BYTES; ; ) {
    // oxlint-disable-next-line no-await-in-loop -- the second read needs what the first has found
    const found = await read(room);
    if (!needsRoom(found)) return found;
    room = found.bytes;
    reserveReply(room);
  }
}
