// Secrets of the environment: the value of NAME, or the content of the file that NAME_FILE names, as orchestrators mount secrets.
import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import type { Variables } from "./variables.ts";
import { OperatorError, reasonOf } from "./operator-error.ts";

/** Largest file of a secret, bytes: another file than meant is not read into memory. */
const SECRET_FILE_BYTES_MAX = 64 * 1024;

export interface SecretVariable {
  readonly value: string;
  /** The variable that is set: NAME or NAME_FILE. */
  readonly source: string;
  /** The value for a message: nothing of a file is shown, since another one than meant may hold any secret. */
  readonly shown: string;
}

/**
 * Reads a secret; null when neither variable is set. One line end at the end of the file is not part of it. Throws an OperatorError when
 * both are set, or when the file can't be read, is empty or is no text.
 */
export function readSecretVariable(name: string, variables: Variables): SecretVariable | null {
  const value = variables[name];
  const source = `${name}_FILE`;
  const path = variables[source];
  if (!path) return value ? { value, source: name, shown: value } : null;
  if (value) throw new OperatorError(`${name} and ${source} are both set; set only one of them.`);
  return { value: readSecretFile(path, source), source, shown: "…" };
}

function readSecretFile(path: string, source: string): string {
  const errorOf = (fault: string, cause?: unknown) =>
    new OperatorError(`${source}: the file ${path} ${fault}.`, { cause });
  let bytes: Buffer;
  try {
    const stats = statSync(path);
    // Reading a pipe could wait for ever.
    if (!stats.isFile()) throw errorOf("is not a regular file");
    if (stats.size > SECRET_FILE_BYTES_MAX)
      throw errorOf(`has ${stats.size} bytes; allowed: ${SECRET_FILE_BYTES_MAX} or fewer`);
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw errorOf(`can't be read (${reasonOf(error)})`, error);
  }
  const text = bytes.toString("utf8").replace(/\r?\n$/, "");
  if (!isUtf8(bytes) || text.includes("\0")) throw errorOf("is not UTF-8 text");
  if (text === "") throw errorOf("is empty");
  return text;
}
