// Reads a file of accounts: YAML or JSON, with ${NAME} as in turngate.yaml.
import { readFileSync, statSync } from "node:fs";
import { type AccountsFile, AccountsFileShape } from "../contract/manage/accounts-file.ts";
import { decodeText } from "./decode-text.ts";
import { OperatorError } from "./operator-error.ts";
import { readShapedFile, type ShapedFile } from "./shaped-file.ts";
import type { Variables } from "./variables.ts";

/** Larger files are a slip, bytes: ten thousand organizations with ten keys each have a tenth of it. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

/** A file of accounts of valid shape, and a way to report faults that the schema can't express. */
export interface ReadAccountsFile extends Pick<ShapedFile, "faultAt"> {
  readonly accounts: AccountsFile;
}

/** Reads a file. Throws an OperatorError that names file, line and value. */
export function readAccountsFile(name: string, variables: Variables): ReadAccountsFile {
  const { value, faultAt } = readShapedFile({ name, text: readText(name), variables, schema: AccountsFileShape });
  return { accounts: value as AccountsFile, faultAt };
}

function readText(name: string): string {
  try {
    if (statSync(name).size <= FILE_BYTES_MAX) return decodeText(name, readFileSync(name));
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new OperatorError(`${name} can't be read (${reason}).`, { cause: error });
  }
  throw new OperatorError(`${name} has more than ${FILE_BYTES_MAX} bytes.`);
}
