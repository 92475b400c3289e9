// The database on disk, through the test's own connection.
import { DatabaseSync } from "node:sqlite";

export type Tables = Readonly<Record<string, readonly unknown[]>>;

/** Every row of every table, ordered by rowid, or by the first columns of a table without one. */
export function dumpTables(path: string): Tables {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const names = database
      .prepare(
        "select name, wr from pragma_table_list where schema = 'main' and name not like 'sqlite_%' order by name",
      )
      .all();
    return Object.fromEntries(
      names.map(({ name, wr: hasNoRowid }) => {
        const order = hasNoRowid === 1 ? "1, 2" : "rowid";
        const statement = database.prepare(`select * from "${String(name)}" order by ${order}`);
        statement.setReadBigInts(true);
        return [String(name), statement.all().map((row) => ({ ...row }))];
      }),
    );
  } finally {
    database.close();
  }
}

/** The rows of one query. */
export function selectRows(path: string, sql: string, parameters: Record<string, string | number | bigint>): object[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare(sql).all(parameters);
  } finally {
    database.close();
  }
}

/** Runs one statement without the service's knowledge. */
export function tamper(path: string, sql: string, parameters: Record<string, string | number | null>): void {
  const database = new DatabaseSync(path, { timeout: 1000 });
  try {
    database.prepare(sql).run(parameters);
  } finally {
    database.close();
  }
}
