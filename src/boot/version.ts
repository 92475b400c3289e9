// The version of the program.
import { installation } from "../installation/installation.ts";

/** The version in package.json. */
export function readVersion(): string {
  const text = installation.root.readText("package.json");
  return (JSON.parse(text) as { readonly version: string }).version;
}
