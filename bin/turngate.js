#!/usr/bin/env -S node --max-semi-space-size=64 --v8-pool-size=1
// The command: src/main.ts with its code compiled once, not at each start. Saves a third of a start's time and, in each thread,
// the memory of the compiler that strips types. Plain JavaScript: the first file of a process can't come out of the cache.
// The flags of the first line, which `npm start` gives too: docs/decisions/young-objects.md, docs/decisions/one-helper.md
import module from "node:module";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

const NODE_MAJOR_MIN = 26;

if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN) {
  console.error(
    `error: this is Node ${process.versions.node}; Turngate brings Node ${NODE_MAJOR_MIN} along: start it with npx or npm run.`,
  );
  process.exit(1);
}

// No object of a turn is to be born old, however the process was started. Before the compile cache is asked: its entries are for the flags of
// their process. docs/decisions/pretenuring.md
setFlagsFromString("--no-allocation-site-pretenuring");

// Beside the installed packages, where nobody else writes; without that folder, or the right to write there, starts are slower.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("../node_modules/.cache/turngate", import.meta.url));
module.enableCompileCache(process.env.NODE_COMPILE_CACHE);

await import("../src/main.ts");
