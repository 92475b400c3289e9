// Converts records to lists of their values and back, with code generated for each kind of record: literals in which
// every member is a fixed field. A shared loop over member names would need a property lookup for each. The generated
// code contains only our own names. Lists pass between threads at less cost: a structured clone writes the name of every
// member of every object, and looks it up again on the other side. See docs/decisions/performance.md

const NAME = /^[a-zA-Z]+$/;

/**
 * Generates a function that builds a record from values in the order of these names. All records of a kind then have
 * one hidden class.
 */
export function compileRecord<Record>(names: readonly string[]): (values: readonly unknown[]) => Record {
  const fields = checked(names).map((name, at) => `${name}: values[${at}]`);
  // oxlint-disable-next-line typescript/no-implied-eval -- the names are checked and never come from outside
  return new Function("values", `return { ${fields.join(", ")} };`) as (values: readonly unknown[]) => Record;
}

/** Generates a function that lists a record's values in the order of these names. */
function compileList<Record>(names: readonly string[]): (record: Record) => readonly unknown[] {
  const values = checked(names).map((name) => `record.${name}`);
  // oxlint-disable-next-line typescript/no-implied-eval -- as above
  return new Function("record", `return [${values.join(", ")}];`) as (record: Record) => readonly unknown[];
}

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

function checked(names: readonly string[]): readonly string[] {
  for (const name of names)
    if (!NAME.test(name)) throw new Error(`A column or member needs a name of letters, not ${name}.`);
  return names;
}
