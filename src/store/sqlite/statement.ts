// How a SQL text becomes a function: named parameters, prepared once a connection, rows typed in one place.
import type { SQLInputValue, StatementSync } from "node:sqlite";
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
  const { prepared, bound } = define<Parameters>(sql);
  return (connection: Connection, parameters: Parameters): Row | undefined =>
    prepared(connection).get(...bound(parameters)) as Row | undefined;
}

/** A statement that answers rows. */
export function many<Parameters extends Named<Parameters>, Row>(sql: string) {
  const { prepared, bound } = define<Parameters>(sql);
  return (connection: Connection, parameters: Parameters): Row[] =>
    prepared(connection).all(...bound(parameters)) as unknown[] as Row[];
}

/** A statement whose rows are read as they are needed; leaving the loop ends it. */
export function each<Parameters extends Named<Parameters>, Row>(sql: string) {
  const { prepared, bound } = define<Parameters>(sql);
  return (connection: Connection, parameters: Parameters): Iterable<Row> =>
    prepared(connection).iterate(...bound(parameters)) as Iterable<unknown> as Iterable<Row>;
}

/** A statement that changes rows: how many, and the rowid of the last one inserted. */
export function change<Parameters extends Named<Parameters>>(sql: string) {
  const { prepared, bound } = define<Parameters>(sql);
  return (connection: Connection, parameters: Parameters): { changes: number; id: number } => {
    const { changes, lastInsertRowid } = prepared(connection).run(...bound(parameters));
    return { changes: Number(changes), id: Number(lastInsertRowid) };
  };
}

/**
 * Gives a statement its slot and binds by position: SQLite looks each name up on every call, we do it once. A name may stand in
 * the text more than once.
 */
function define<Parameters extends Named<Parameters>>(sql: string) {
  const names: (keyof Parameters)[] = [];
  const text = sql.replace(/:([a-zA-Z]+)/g, (_, name: string) => {
    names.push(name as keyof Parameters);
    return "?";
  });
  const slot = texts.push(text) - 1;
  return {
    prepared: (connection: Connection): StatementSync =>
      (connection.statements[slot] ??= connection.database.prepare(text)),
    bound: (parameters: Parameters): SQLInputValue[] => names.map((name) => parameters[name]),
  };
}
