// Where a start's texts for people go, and the secrets of a first start, which must not end in a log.
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../installation/make-folder.ts";

/** How the greeting shows a secret. */
export type ShownSecret =
  /** In the greeting itself. */
  | { readonly value: string }
  /** In this file. */
  | { readonly path: string }
  /** Nowhere: the file could not be written. */
  | { readonly path: string; readonly reason: string };

export interface GreetingOutput {
  write(text: string): void;
  /** Keeps a secret for the greeting: as it is on a terminal, else in the file `name` of the data folder. */
  show(name: string, secret: string): ShownSecret;
}

/**
 * The output for the greeting: standard output if that is a terminal. Otherwise that gets the log's JSON lines alone, and
 * the greeting goes to standard error.
 */
export function openGreetingOutput(folder: string): GreetingOutput {
  const stream = process.stdout.isTTY ? process.stdout : process.stderr;
  // The service serves on when the reader of its greeting is gone.
  stream.on("error", () => {});
  return {
    write: (text) => void stream.write(text),
    show: (name, secret) => (stream.isTTY ? { value: secret } : keepInFile(join(folder, name), secret)),
  };
}

/** Writes a secret to a file that its owner alone can read, in place of a former one. */
export function keepInFile(path: string, secret: string): ShownSecret {
  const draft = `${path}.${process.pid}`;
  try {
    makeFolder(join(path, ".."));
    writeFileSync(draft, `${secret}\n`, { mode: 0o600, flag: "wx", flush: true });
    renameSync(draft, path);
    return { path };
  } catch (error) {
    rmSync(draft, { force: true });
    return { path, reason: error instanceof Error ? error.message : String(error) };
  }
}
