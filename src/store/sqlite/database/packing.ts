// Records on their way between threads: lists of their values. A structured clone writes, and looks up again on the other side, the name of
// every member of every object; of a list it only takes the values. docs/decisions/crossing.md

/** The values of a record's members, in the order of its packing. */
export interface Packed<Record> extends ReadonlyArray<unknown> {
  /** Only for the type check: which record it was. */
  readonly record?: Record;
}

export interface Packing<Record> {
  pack(record: Record): Packed<Record>;
  unpack(packed: Packed<Record>): Record;
}

const MEMBER_NAME = /^[a-zA-Z]+$/;

/** How records of one kind are packed. Each of their members is named once, whether a record has it or not: what it has not is undefined. */
export function packing<Record>(members: { readonly [Name in keyof Required<Record>]: true }): Packing<Record> {
  const names = Object.keys(members);
  for (const name of names)
    if (!MEMBER_NAME.test(name)) throw new Error(`A member needs a name of letters, not ${name}.`);
  const values = names.map((name) => `record.${name}`).join(", ");
  const fields = names.map((name, at) => `${name}: packed[${at}]`).join(", ");
  // A list and a literal of its own for each kind: a loop over the names would look every member up.
  // oxlint-disable-next-line typescript/no-implied-eval -- the names have been checked, and nobody from outside gives one
  const pack = new Function("record", `return [${values}];`) as Packing<Record>["pack"];
  // oxlint-disable-next-line typescript/no-implied-eval -- as above
  const unpack = new Function("packed", `return { ${fields} };`) as Packing<Record>["unpack"];
  return { pack, unpack };
}
