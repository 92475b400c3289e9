// Folders for data. Node's own way to create a folder with those around it (`recursive`) never returns below /proc and
// similar places, where the parent exists and nothing can be created in it.
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder, and those around it, for its owner alone; leaves it as it is if it exists. Throws the system's error
 * for the first one that can't be created.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const around = dirname(path);
  // The root of a drive that does not exist is its own parent.
  if (around !== path) makeFolder(around);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!existsSync(path)) throw error;
  }
}
