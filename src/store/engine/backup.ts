// What a backup of a store reports.

export interface BackedUp {
  /** The copy's rows, table by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** The number of the newest migration that the copy has run. */
  readonly schemaVersion: number;
  readonly bytes: number;
}

/** Called with the number of pages that are copied. */
export type BackupProgress = (pages: number, total: number) => void;
