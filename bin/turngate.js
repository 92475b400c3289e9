#!/usr/bin/env -S node --max-semi-space-size=64 --v8-pool-size=1
// The command: src/main.ts with a compile cache. It saves a third of the start time and, in each thread, the memory of the compiler that
// strips types. Plain JavaScript, since the first file of a process can't come from the cache.
// The flags in the first line, which `npm start` passes too: docs/decisions/performance.md
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

const NODE_MAJOR_MIN = 26;

const isInstalled = (path) => existsSync(new URL(`../node_modules/${path}`, import.meta.url));

if (!isInstalled("")) fail("dependencies are not installed; run `npm ci` first.");
if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN) {
  const own = isInstalled(".bin/node") || isInstalled(".bin/node.cmd");
  fail(
    own
      ? `this is Node ${process.versions.node}, but Node ${NODE_MAJOR_MIN} is installed with Turngate: start it with npx or npm run.`
      : `this is Node ${process.versions.node}, but Turngate needs Node ${NODE_MAJOR_MIN}, and npm has not installed it: it is an optional package, for x64 and arm64. Run \`npm ci --include=optional\`, or install Node ${NODE_MAJOR_MIN} (on Alpine, where that package does not run).`,
  );
}

// Keeps V8 from allocating the objects of turns in old space. Set here, so that every way of starting has it, and before the compile cache,
// whose entries depend on the flags. docs/decisions/performance.md
setFlagsFromString("--no-allocation-site-pretenuring");

// Beside the installed packages, where only this user writes. If the folder can't be written, starts are slower.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("../node_modules/.cache/turngate", import.meta.url));
module.enableCompileCache(process.env.NODE_COMPILE_CACHE);

await import("../src/main.ts");

function fail(message) {
  console.error(`error: ${message}`);
  process.exit(1);
}
