// Executes the store's statements on a connection, at once. Each is prepared once per connection.
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { compileRecord } from "../../engine/compiled.ts";
import { PARAMETER } from "../../engine/statement.ts";
import { finished, type Parameters, type Statement, type Steps, type Transaction } from "../../engine/transaction.ts";

type Execute = (parameters: Parameters) => unknown;
type Values = readonly SQLOutputValue[];

/** Creates the function that executes statements on a database. */
export function createExecute(database: DatabaseSync): Transaction["execute"] {
  const prepared: (Execute | undefined)[] = [];
  return (statement, parameters): Steps<unknown> =>
    finished((prepared[statement.slot] ??= prepare(database, statement))(parameters));
}

/** The text that SQLite prepares, and the names of its parameters in the order of their places. */
export function toPositional(sql: string): { readonly text: string; readonly names: readonly string[] } {
  const names: string[] = [];
  // Bound by position: SQLite would look up each name on every call. A name may occur more than once.
  const text = sql.replace(PARAMETER, (_, name: string) => {
    names.push(name);
    return "?";
  });
  return { text, names };
}

function prepare(database: DatabaseSync, { kind, sql }: Statement): Execute {
  // This engine has a single writer: no other transaction changes a row meanwhile.
  if (kind === "lock") return () => undefined;
  const { text, names } = toPositional(sql);
  const statement = database.prepare(text);
  statement.setReturnArrays(true);
  const toValues = (parameters: Parameters) => names.map((name) => parameters[name] as SQLInputValue);
  switch (kind) {
    case "one": {
      const toRow = compileRow(statement);
      return (parameters) => {
        const values = statement.get(...toValues(parameters)) as Values | undefined;
        return values === undefined ? undefined : toRow(values);
      };
    }
    case "many": {
      const toRow = compileRow(statement);
      return (parameters) => (statement.all(...toValues(parameters)) as unknown as Values[]).map(toRow);
    }
    default: {
      return (parameters) => {
        const { changes, lastInsertRowid } = statement.run(...toValues(parameters));
        return { changes: Number(changes), id: changes === 0 ? 0 : Number(lastInsertRowid) };
      };
    }
  }
}

/**
 * Generates the code that builds a row from a statement's values. Node's own rows are dictionaries, which are slow to
 * create and to read.
 */
function compileRow(statement: StatementSync): (values: Values) => object {
  return compileRecord(statement.columns().map(({ name }) => name));
}
