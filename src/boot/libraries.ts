// Packages that do not come with the program.
import { installation } from "../installation/installation.ts";

/** Loads such a package, for the credentials of a host. Rejects when it is not installed. */
export async function loadLibrary(name: string): Promise<unknown> {
  return (await installation.openLibraries()).load(name);
}
