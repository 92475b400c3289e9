// Files with credentials, as the configuration or a variable names them.
import { readFileSync } from "node:fs";

/** JSON, or a token of three parts. */
const CREDENTIALS = /^\s*(?:\{|eyJ)/;

/** The text of a file, or why there is none, as the end of a sentence. Its name is not repeated: it may be what the file should hold. */
export function readCredentialFile(name: string): { readonly text: string } | { readonly fault: string } {
  if (CREDENTIALS.test(name)) return { fault: "holds the credentials; write them to a file and name that" };
  try {
    return { text: readFileSync(name, "utf8") };
  } catch {
    return { fault: "names a file that can't be read" };
  }
}
