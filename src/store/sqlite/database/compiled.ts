// Records to lists of their values and back, each kind by code of its own: literals in which every member is a fixed field. One loop over the
// names of all kinds would look every member up. The code is made of nothing but our own names.

const NAME = /^[a-zA-Z]+$/;

/** What makes a record of values that stand in the order of these names: all records of a kind then have one shape. */
export function compileRecord<Record>(names: readonly string[]): (values: readonly unknown[]) => Record {
  const fields = checked(names).map((name, at) => `${name}: values[${at}]`);
  // oxlint-disable-next-line typescript/no-implied-eval -- the names have been checked, and nobody from outside gives one
  return new Function("values", `return { ${fields.join(", ")} };`) as (values: readonly unknown[]) => Record;
}

/** What lists the values of a record in the order of these names. */
export function compileList<Record>(names: readonly string[]): (record: Record) => readonly unknown[] {
  const values = checked(names).map((name) => `record.${name}`);
  // oxlint-disable-next-line typescript/no-implied-eval -- as above
  return new Function("record", `return [${values.join(", ")}];`) as (record: Record) => readonly unknown[];
}

function checked(names: readonly string[]): readonly string[] {
  for (const name of names)
    if (!NAME.test(name)) throw new Error(`A column or member needs a name of letters, not ${name}.`);
  return names;
}
