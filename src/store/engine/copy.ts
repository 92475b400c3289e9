// What a copy of a whole store moves from one engine to another: all rows, as they are stored.

/** A row's values in the order of the chosen columns; numbers as text, so that amounts beyond 2^53 stay exact. */
export type CopiedRow = readonly (string | null)[];

export interface CopiedTable {
  readonly name: string;
  /** Its columns; `rowid`, the order of insertion, among them where the table has one. */
  readonly columns: readonly string[];
  readonly count: number;
  /** All its rows in the order of insertion. */
  rows(columns: readonly string[]): Iterable<CopiedRow>;
}

/** A store that is being copied: one snapshot of it, while no service runs on it. */
export interface CopySource {
  /** All tables, each after those that it refers to. */
  readonly tables: readonly CopiedTable[];
  close(): void;
}

/** Called as the rows of a table are copied: first with 0 rows, last with all. */
export type CopyProgress = (table: string, rows: number, count: number) => void;
