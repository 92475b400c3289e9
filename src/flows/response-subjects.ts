// Whom a response was for, as the log of turns keeps it: a hash of the end user, and one label. docs/management.md (The
// log of turns)
import type { Metadata } from "../contract/resources.ts";

/** Characters of the hash that are kept: 128 bits, the beginning of the hash that providers are sent. */
const END_USER_CHARACTERS = 32;

/** The end user as the log knows it, by the hash of Secrets.hashEndUser. */
export function endUserOf(hash: string): string {
  return hash.slice(0, END_USER_CHARACTERS);
}

/** `KEY=VALUE` of the chosen metadata key; null: none is chosen, or the request has no such key. */
export function labelOf(metadata: Metadata | null, key: string | null): string | null {
  if (metadata === null || key === null || !Object.hasOwn(metadata, key)) return null;
  return `${key}=${metadata[key]}`;
}
