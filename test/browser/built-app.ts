// Builds the app from its current sources, once for each state of them: the build of `npm ci` may be older.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const APP = fileURLToPath(new URL("../../app", import.meta.url));
const BUILDS = fileURLToPath(new URL("../../node_modules/.cache/turngate-app", import.meta.url));
const SOURCES = ["src", "build"];
const FILES = ["index.html", "package.json", "vite.config.ts"];

/** The folder with the built app; builds it if the sources have changed since the last call on this machine. */
export async function builtApp(): Promise<string> {
  const folder = join(BUILDS, await hashSources());
  if (existsSync(folder)) return folder;
  const staging = `${folder}.${process.pid}`;
  await build({ root: APP, logLevel: "error", build: { outDir: staging } });
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
