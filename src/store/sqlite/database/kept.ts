// Rows that nearly every request reads again, kept until anybody commits: one look at the file's version replaces the read.
import type { Connection } from "./connection.ts";
import { recall } from "./remembering.ts";

let slots = 0;

/**
 * Keeps what is read by a key, misses left out, as long as the connection says that nobody has committed since. A connection that does
 * not look for commits reads each time. What is answered is shared: nobody may change it.
 */
export function keptUntilCommit<Value>() {
  const slot = slots++;
  return (connection: Connection, key: string, read: () => Value | undefined): Value | undefined => {
    if (connection.kept === null) return read();
    return recall((connection.kept[slot] ??= new Map()) as Map<string, Value | undefined>, key, read);
  };
}

/** Somebody has committed: nothing that was kept is known to be true. */
export function forgetKept({ kept }: Connection): void {
  for (const values of kept ?? []) values?.clear();
}
