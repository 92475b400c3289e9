// Reads a file of accounts: YAML or JSON, with ${NAME} as in turngate.yaml.
import { type AccountsFile, AccountsFileShape } from "../contract/manage/accounts-file.ts";
import { readTextFile } from "../../packages/kit/decode-text.ts";
import { readShapedFile, type ShapedFile } from "../../packages/kit/shaped-file.ts";
import type { Variables } from "../../packages/kit/variables.ts";

/** Longest file, bytes: ten times as long as one of ten thousand organizations with ten keys each. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

/** A file of accounts of valid shape, and a way to report faults that the schema can't express. */
export interface ReadAccountsFile extends Pick<ShapedFile, "faultAt"> {
  readonly accounts: AccountsFile;
}

/** Reads a file. Throws an OperatorError that names file, line and value. */
export function readAccountsFile(name: string, variables: Variables): ReadAccountsFile {
  const { value, faultAt } = readShapedFile({
    name,
    text: readTextFile(name, FILE_BYTES_MAX),
    variables,
    schema: AccountsFileShape,
  });
  return { accounts: value as AccountsFile, faultAt };
}
