// Reads of content that may be long: the reader says for how many bytes it has room, and the store reads no more.

/** Bytes of content for which every reader has room: nearly everything that is stored. */
export const SHORT_BYTES = 256 * 1024;

/** Room for everything: no stored text is longer. */
export const ALL_BYTES = 2 ** 31 - 1;

/** The content has more bytes than the reader has room for; none of it was read. */
export interface NeedsRoom {
  readonly kind: "needs_room";
  readonly bytes: number;
}

/** Whether a read found more than its reader has room for. */
export function needsRoom(found: unknown): found is NeedsRoom {
  return typeof found === "object" && found !== null && "kind" in found && found.kind === "needs_room";
}
