/** Builds the program of a clone, so that it starts as fast as the npm package: `npm ci` and `npm run build` do it. bin/program.js */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BUILT, hashSources, HASH_FILE } from "../bin/program.js";
import { PROGRAM_ENTRIES, writeBundle } from "./bundle.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const folder = join(ROOT, BUILT);

const hash = hashSources(ROOT);
rmSync(folder, { recursive: true, force: true });
await writeBundle({
  entries: PROGRAM_ENTRIES,
  folder,
  installation: "built-clone",
  output: {},
});
writeFileSync(join(folder, HASH_FILE), hash);
