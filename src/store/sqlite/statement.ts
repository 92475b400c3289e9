// How a SQL text becomes a function: named parameters, prepared once a connection, rows typed in one place.
import type { SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import type { Connection } from "./connection.ts";

/** Parameters of a statement by the names that its text uses (`:name`). */
type Named<Parameters> = { readonly [Name in keyof Parameters]: SQLInputValue };

const texts: string[] = [];

/** Every statement's text, by its slot: all that the loaded modules define. */
export function definedStatements(): readonly string[] {
  return texts;
}

/** A statement that answers at most one row. */
export function one<Parameters extends Named<Parameters>, Row>(sql: string) {
  const { prepared, bound, toRow } = define<Parameters, Row>(sql);
  return (connection: Connection, parameters: Parameters): Row | undefined => {
    const statement = prepared(connection);
    const values = statement.get(...bound(parameters)) as Values | undefined;
    return values === undefined ? undefined : toRow(statement)(values);
  };
}

/** A statement that answers rows. */
export function many<Parameters extends Named<Parameters>, Row>(sql: string) {
  const { prepared, bound, toRow } = define<Parameters, Row>(sql);
  return (connection: Connection, parameters: Parameters): Row[] => {
    const statement = prepared(connection);
    const rows = statement.all(...bound(parameters)) as unknown[] as Values[];
    return rows.map(toRow(statement));
  };
}

/** A statement whose rows are read as they are needed; leaving the loop ends it. */
export function each<Parameters extends Named<Parameters>, Row>(sql: string) {
  const { prepared, bound, toRow } = define<Parameters, Row>(sql);
  return function* (connection: Connection, parameters: Parameters): Generator<Row, void> {
    const statement = prepared(connection);
    const rows = statement.iterate(...bound(parameters)) as Iterable<unknown> as Iterable<Values>;
    const make = toRow(statement);
    for (const values of rows) yield make(values);
  };
}

/** A statement that changes rows: how many, and the rowid of the last one inserted. */
export function change<Parameters extends Named<Parameters>>(sql: string) {
  const { prepared, bound } = define<Parameters, never>(sql);
  return (connection: Connection, parameters: Parameters): { changes: number; id: number } => {
    const { changes, lastInsertRowid } = prepared(connection).run(...bound(parameters));
    return { changes: Number(changes), id: Number(lastInsertRowid) };
  };
}

/**
 * Gives a statement its slot and binds by position: SQLite looks each name up on every call, we do it once. A name may stand in
 * the text more than once.
 */
function define<Parameters extends Named<Parameters>, Row>(sql: string) {
  const names: (keyof Parameters)[] = [];
  const text = sql.replace(/:([a-zA-Z]+)/g, (_, name: string) => {
    names.push(name as keyof Parameters);
    return "?";
  });
  const slot = texts.push(text) - 1;
  let toRow: ToRow<Row> | undefined;
  return {
    prepared: (connection: Connection): StatementSync => (connection.statements[slot] ??= prepare(connection, text)),
    bound: (parameters: Parameters): SQLInputValue[] => names.map((name) => parameters[name]),
    toRow: (statement: StatementSync): ToRow<Row> => (toRow ??= compileRow<Row>(statement)),
  };
}

type Values = readonly SQLOutputValue[];
type ToRow<Row> = (values: Values) => Row;

function prepare({ database }: Connection, text: string): StatementSync {
  const statement = database.prepare(text);
  statement.setReturnArrays(true);
  return statement;
}

const COLUMN_NAME = /^[a-zA-Z]+$/;

/**
 * What makes a row of a statement's values. Node's own rows are dictionaries, dear to make and to read; one literal a statement
 * gives all its rows one shape. The code is made of nothing but our own names of columns.
 */
function compileRow<Row>(statement: StatementSync): ToRow<Row> {
  const fields = statement.columns().map(({ name }, index) => {
    if (!COLUMN_NAME.test(name)) throw new Error(`A column needs a name of letters, not ${name}.`);
    return `${name}: values[${index}]`;
  });
  // oxlint-disable-next-line typescript/no-implied-eval -- the names have been checked, and nobody from outside gives one
  return new Function("values", `return { ${fields.join(", ")} };`) as ToRow<Row>;
}
