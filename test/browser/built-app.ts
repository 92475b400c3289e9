// Builds the app from its current sources, once for each state of them: the build of `npm ci` may be older.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { askFor } from "../support/shared.ts";

const APP = fileURLToPath(new URL("../../app", import.meta.url));
const BUILDS = fileURLToPath(new URL("../../node_modules/.cache/turngate-app", import.meta.url));
const VITE = fileURLToPath(new URL("../../node_modules/vite/bin/vite.js", import.meta.url));
const SOURCES = ["src", "build"];
const FILES = ["index.html", "package.json", "vite.config.ts"];

/** The folder with the built app: built by the runner for all files of a run, or by this process. */
export async function builtApp(): Promise<string> {
  return (await askFor("app")) ?? buildApp();
}

/** Builds the app if its sources have changed since the last call on this machine; returns its folder. */
export async function buildApp(): Promise<string> {
  const folder = join(BUILDS, await hashSources());
  if (existsSync(folder)) return folder;
  const staging = `${folder}.${process.pid}`;
  // In a process of its own: the runner's has reports to read meanwhile.
  const words = [VITE, "build", APP, "--logLevel", "error", "--outDir", staging, "--emptyOutDir"];
  await promisify(execFile)(process.execPath, words);
  // Another process may have been faster: its build is the same.
  await rename(staging, folder).catch(() => rm(staging, { recursive: true, force: true }));
  return folder;
}

async function hashSources(): Promise<string> {
  const folders = await Promise.all(
    SOURCES.map(async (folder) => {
      const entries = await readdir(join(APP, folder), { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    }),
  );
  const hash = createHash("sha256");
  for (const path of [...FILES.map((name) => join(APP, name)), ...folders.flat().sort()]) {
    hash.update(`${path}\n`).update(await readFile(path));
  }
  return hash.digest("hex").slice(0, 16);
}
