// How a SQL text becomes a function: named parameters, prepared once a connection, rows typed in one place.
import type { SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { compileRecord } from "./compiled.ts";
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
  const { call, toRow } = define<"get", Parameters, Row>("get", sql);
  return (connection: Connection, parameters: Parameters): Row | undefined => {
    const values = call(connection, parameters) as Values | undefined;
    return values === undefined ? undefined : toRow(connection)(values);
  };
}

/** A statement that answers rows. */
export function many<Parameters extends Named<Parameters>, Row>(sql: string) {
  const { call, toRow } = define<"all", Parameters, Row>("all", sql);
  return (connection: Connection, parameters: Parameters): Row[] => {
    const rows = call(connection, parameters) as unknown[] as Values[];
    return rows.map(toRow(connection));
  };
}

/** A statement whose rows are read as they are needed; leaving the loop ends it. */
export function each<Parameters extends Named<Parameters>, Row>(sql: string) {
  const { call, toRow } = define<"iterate", Parameters, Row>("iterate", sql);
  return function* (connection: Connection, parameters: Parameters): Generator<Row, void> {
    const rows = call(connection, parameters) as Iterable<unknown> as Iterable<Values>;
    const make = toRow(connection);
    for (const values of rows) yield make(values);
  };
}

/** A statement that changes rows: how many, and the rowid of the last one inserted. */
export function change<Parameters extends Named<Parameters>>(sql: string) {
  const { call } = define<"run", Parameters, never>("run", sql);
  return (connection: Connection, parameters: Parameters): { changes: number; id: number } => {
    const { changes, lastInsertRowid } = call(connection, parameters);
    return { changes: Number(changes), id: Number(lastInsertRowid) };
  };
}

type Method = "get" | "all" | "iterate" | "run";
type Call<Name extends Method, Parameters> = (
  statement: StatementSync,
  parameters: Parameters,
) => ReturnType<StatementSync[Name]>;
type Values = readonly SQLOutputValue[];
type ToRow<Row> = (values: Values) => Row;

/**
 * Gives a statement its slot and binds by position: SQLite looks each name up on every call, we do it once. A name may stand in
 * the text more than once.
 */
function define<Name extends Method, Parameters extends Named<Parameters>, Row>(method: Name, sql: string) {
  const names: string[] = [];
  const text = sql.replace(/:([a-zA-Z]+)/g, (_, name: string) => {
    names.push(name);
    return "?";
  });
  if (BOUND_LIMIT.test(text)) throw new Error(`A limit that is bound is written limit +:name, not as in ${sql}.`);
  const slot = texts.push(text) - 1;
  let compiledCall: Call<Name, Parameters> | undefined;
  let compiledRow: ToRow<Row> | undefined;
  const prepared = (connection: Connection): StatementSync =>
    (connection.statements[slot] ??= prepare(connection, text));
  return {
    call: (connection: Connection, parameters: Parameters): ReturnType<StatementSync[Name]> =>
      (compiledCall ??= compileCall(method, names))(prepared(connection), parameters),
    toRow: (connection: Connection): ToRow<Row> => (compiledRow ??= compileRow(prepared(connection))),
  };
}

/**
 * A limit that is nothing but a parameter is looked at when SQLite plans, so each binding would have the statement planned anew:
 * ten times what a read of a page costs. With a plus before it, it is a term like any other.
 */
const BOUND_LIMIT = /\blimit \?/;

function prepare({ database }: Connection, text: string): StatementSync {
  const statement = database.prepare(text);
  statement.setReturnArrays(true);
  return statement;
}

/**
 * What calls a statement with its parameters in their places. Each statement has code of its own, in which a parameter is a fixed
 * field; one loop over the names of all statements would look every one of them up. The names are letters, and our own.
 */
function compileCall<Name extends Method, Parameters>(method: Name, names: readonly string[]): Call<Name, Parameters> {
  const values = names.map((name) => `parameters.${name}`).join(", ");
  // oxlint-disable-next-line typescript/no-implied-eval -- nobody from outside gives a name
  return new Function("statement", "parameters", `return statement.${method}(${values});`) as Call<Name, Parameters>;
}

/** What makes a row of a statement's values. Node's own rows are dictionaries, dear to make and to read. */
function compileRow<Row>(statement: StatementSync): ToRow<Row> {
  return compileRecord(statement.columns().map(({ name }) => name));
}
