// Which program a clone runs: its sources, or what `npm ci` has built from them (release/clone.ts), which starts in half
// the time. Plain JavaScript without imports but Node's own modules, like everything that runs before the program.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The folder of the built program, relative to the clone. */
export const BUILT = "dist/program";
/** In that folder: the hash of the sources that it was built from. Written last, so that an interrupted build does not count. */
export const HASH_FILE = "sources.sha256";
/** Options of Node for those who look into the process: they find the modules of the sources there. */
const LOOKS_INSIDE = /--(?:inspect|import|require)\b/;

/**
 * The main module of a clone, relative to it: the built program while the sources are those that it was built from.
 * `nodeOptions` are those that this process was started with.
 */
export function programOf(clone, nodeOptions) {
  const hash = LOOKS_INSIDE.test(nodeOptions) ? null : builtFrom(clone);
  return hash !== null && hash === hashSources(clone) ? `${BUILT}/main.cjs` : "src/main.ts";
}

/** A hash of the sources of a clone and of the versions of its libraries. It takes 30 ms. */
export function hashSources(clone) {
  const hash = createHash("sha256");
  const files = ["packages", "src"]
    .flatMap((folder) => readdirSync(join(clone, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map(({ parentPath, name }) => join(parentPath, name));
  for (const path of [...files.sort(), join(clone, "package-lock.json")]) {
    hash.update(`${path.slice(clone.length)}\n`).update(readFileSync(path));
  }
  return hash.digest("hex");
}

function builtFrom(clone) {
  try {
    return readFileSync(join(clone, BUILT, HASH_FILE), "utf8");
  } catch {
    // Not built.
    return null;
  }
}
