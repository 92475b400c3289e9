// A folder of files that come with the program, wherever they are kept: on disk, or inside the single executable.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface InstalledFolder {
  /** The names of the files in it, or in a folder inside it; empty when that folder does not exist. */
  list(inside?: string): readonly string[];
  has(path: string): boolean;
  /** A file; rejects with ENOENT when it does not exist. */
  read(path: string): Promise<Uint8Array>;
  /** A file of text, read at once; throws ENOENT when it does not exist. */
  readText(path: string): string;
}

/** A folder on disk, which may be created or change later. */
export function folderOnDisk(folder: string | URL): InstalledFolder {
  const root = typeof folder === "string" ? folder : fileURLToPath(folder);
  return {
    list: (inside = "") => (existsSync(join(root, inside)) ? readdirSync(join(root, inside)) : []),
    has: (path) => existsSync(join(root, path)),
    // Loaded on demand: it costs each of the store's threads 5 ms, which read no file asynchronously.
    read: async (path) => {
      const { readFile } = await import("node:fs/promises");
      return readFile(join(root, path));
    },
    readText: (path) => readFileSync(join(root, path), "utf8"),
  };
}
