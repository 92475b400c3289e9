// Packs records as lists of their values for messages between threads. A structured clone writes the name of every
// member of every object, and looks it up again on the other side; for a list it copies only the values. See
// docs/decisions/performance.md
import { compileList, compileRecord } from "./compiled.ts";

/** A record's values in the order of its packing. */
export interface Packed<Record> extends ReadonlyArray<unknown> {
  /** Exists only for the type checker: the packed record's type. */
  readonly record?: Record;
}

interface Packing<Record> {
  pack(record: Record): Packed<Record>;
  unpack(packed: Packed<Record>): Record;
}

/**
 * Defines the packing of one kind of record. Each member is named once, optional ones included; an absent member
 * becomes undefined.
 */
export function packing<Record>(members: { readonly [Name in keyof Required<Record>]: true }): Packing<Record> {
  const names = Object.keys(members);
  return { pack: compileList(names), unpack: compileRecord(names) };
}
