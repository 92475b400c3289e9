// Records on their way between threads: lists of their values. A structured clone writes, and looks up again on the other side, the name of
// every member of every object; of a list it only takes the values. docs/decisions/crossing.md
import { compileList, compileRecord } from "./compiled.ts";

/** The values of a record's members, in the order of its packing. */
export interface Packed<Record> extends ReadonlyArray<unknown> {
  /** Only for the type check: which record it was. */
  readonly record?: Record;
}

export interface Packing<Record> {
  pack(record: Record): Packed<Record>;
  unpack(packed: Packed<Record>): Record;
}

/** How records of one kind are packed. Each of their members is named once, whether a record has it or not: what it has not is undefined. */
export function packing<Record>(members: { readonly [Name in keyof Required<Record>]: true }): Packing<Record> {
  const names = Object.keys(members);
  return { pack: compileList(names), unpack: compileRecord(names) };
}
