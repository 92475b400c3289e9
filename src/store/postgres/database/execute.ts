// Executes the store's statements on a connection. Each is prepared once per connection.
import type { ClientBase } from "pg";
import type { Query, StatementKind } from "../../engine/transaction.ts";
import type { Translate } from "./translate.ts";
import { encodeValue } from "./values.ts";

/** Executes a query of the rules; resolves to its result (engine/statement.ts) or rejects with the driver's error. */
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
