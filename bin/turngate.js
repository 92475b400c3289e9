#!/usr/bin/env -S node --max-semi-space-size=64 --v8-pool-size=1
// The command, in a clone and in the npm package: runs the program on Node 26, with a compile cache. The cache saves a third of the start
// time and, in a clone, the memory of the compiler that strips types in each thread. Plain JavaScript that any Node can read, since it is the
// first file of the process.
// The flags in the first line, which `npm start` passes too: docs/decisions/performance.md
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { programOf } from "./program.js";
import { cacheFolder, findRuntime, isRuntime, startAgain } from "./runtime.js";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const isClone = existsSync(at("src/main.ts"));

if (isClone && !existsSync(at("node_modules"))) fail("dependencies are not installed; run `npm ci` first.");
if (isRuntime(process.versions.node)) await start();
else {
  const runtime = await findRuntime().catch((error) => fail(error.message));
  startAgain(runtime, [fileURLToPath(import.meta.url), ...process.argv.slice(2)]);
}

async function start() {
  // Keeps V8 from allocating the objects of turns in old space. Set here, so that every way of starting has it, and before the compile
  // cache, whose entries depend on the flags. docs/decisions/performance.md
  setFlagsFromString("--no-allocation-site-pretenuring");

  // Where only this user writes. If the folder can't be written, starts are slower.
  process.env.NODE_COMPILE_CACHE ??= isClone ? at("node_modules/.cache/turngate") : cacheFolder("compiled");
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);

  const nodeOptions = `${process.execArgv.join(" ")} ${process.env.NODE_OPTIONS ?? ""}`;
  await import(isClone ? `../${programOf(at(""), nodeOptions)}` : "../lib/main.cjs");
}

function fail(message) {
  console.error(`error: ${message}`);
  process.exit(1);
}
