// Executes the store's statements on a connection, and converts values between the store's procedures, which use SQLite's
// types, and PostgreSQL. Each statement is prepared once per connection.
import type { ClientBase, CustomTypesConfig } from "pg";
import type { Query, StatementKind, SqlValue } from "../../engine/transaction.ts";
import type { Translate } from "./translate.ts";

/** Executes a query of a procedure; resolves to its result (engine/statement.ts) or rejects with the driver's error. */
export type Execute = (client: ClientBase, query: Query) => Promise<unknown>;

interface Prepared {
  /** Undefined: prepared for each execution. */
  readonly name: string | undefined;
  readonly text: string;
  readonly names: readonly string[];
}

/** Creates the function that executes statements. With `prepares` a connection keeps them prepared under a name. */
export function createExecute(translate: Translate, prepares: boolean): Execute {
  const prepared: (Prepared | undefined)[] = [];
  return async (client, { statement, parameters }) => {
    const { name, text, names } = (prepared[statement.slot] ??= {
      ...translate(statement),
      name: prepares ? `s${statement.slot}` : undefined,
    });
    const values = names.map((each) => encodeValue(parameters[each]));
    const { rows, rowCount } = await client.query({ ...(name !== undefined && { name }), text, values });
    return resultOf(statement.kind, rows, rowCount ?? 0);
  };
}

function resultOf(kind: StatementKind, rows: readonly { readonly id?: number }[], changes: number): unknown {
  switch (kind) {
    case "one":
      return rows[0];
    case "many":
      return rows;
    case "change":
      return { changes };
    case "insert":
      return { changes, id: rows.at(-1)?.id ?? 0 };
    case "write":
    case "lock":
      break;
  }
  return undefined;
}

/** Types of numbers: int8, int2, int4, float4, float8, numeric. Amounts of money are selected as text. */
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 700, 701, 1700]);
const BOOLEAN = 16;

/** Parsers of results: a number for every type of number, 1 or 0 for a boolean, and text for everything else. */
export const RESULT_TYPES: CustomTypesConfig = {
  getTypeParser: ((type: number) => {
    if (NUMBERS.has(type)) return Number;
    return type === BOOLEAN ? parseBoolean : parseText;
  }) as CustomTypesConfig["getTypeParser"],
};

function parseBoolean(text: string): number {
  return text === "t" ? 1 : 0;
}

function parseText(text: string): string {
  return text;
}

const NULLS = /\0/g;

/** A value as the driver sends it. PostgreSQL's text cannot contain U+0000, which becomes U+FFFD. */
export function encodeValue(value: SqlValue | undefined): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== "string") return String(value);
  return value.includes("\0") ? value.replace(NULLS, "\uFFFD") : value;
}
