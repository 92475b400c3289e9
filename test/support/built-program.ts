// The program as the npm package has it, built from the current sources once for each state of them: it starts in half
// the time that the sources take, and it is what most users run. `npm start` of a clone: npm-start.test.ts
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { DAY_MS } from "../../src/base/time.ts";
import { PROGRAM_ENTRIES, writeBundle } from "../../release/bundle.ts";
import { askFor } from "./shared.ts";

const ROOT = join(import.meta.dirname, "../..");
const BUILDS = join(ROOT, "node_modules/.cache/turngate-builds");

export interface BuiltProgram {
  /** The file to run with Node. */
  readonly main: string;
  /** Where its compiled modules are kept: a value for NODE_COMPILE_CACHE. */
  readonly compiled: string;
}

/** The built program; the first file of a run that asks waits for it. */
export async function builtProgram(): Promise<BuiltProgram> {
  const folder = (await askFor("program")) ?? (await buildProgram());
  return { main: join(folder, "bin/turngate.js"), compiled: join(folder, "compiled") };
}

/** Builds the program; resolves to its folder. */
export function buildProgram(): Promise<string> {
  return build("program", PROGRAM_ENTRIES);
}

/** Builds the module that the embedded store's threads run, which is quicker; resolves to its URL. */
export async function buildStoreThread(): Promise<string> {
  const folder = await build("thread", { "store-thread": "src/store/sqlite/workers/worker.ts" });
  return pathToFileURL(join(folder, "lib/store-thread.cjs")).href;
}

/** Bundles these modules if the sources have changed since the last call on this machine; resolves to the folder. */
async function build(name: string, entries: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(BUILDS, `${name}-${hashSources()}`);
  if (existsSync(folder)) return folder;
  removeOld();
  const staging = `${folder}.${process.pid}`;
  const files = join(staging, "files");
  mkdirSync(files, { recursive: true });
  for (const path of ["bin", "package.json", "prices.json"])
    cpSync(join(ROOT, path), join(staging, path), { recursive: true });
  for (const engine of ["sqlite", "postgres"])
    cpSync(join(ROOT, "src/store", engine, "migrations"), join(files, "migrations", engine), { recursive: true });
  symlinkSync(join(ROOT, "app/dist"), join(files, "app"));
  symlinkSync(join(ROOT, "node_modules/swagger-ui-dist"), join(files, "reference"));
  await writeBundle({ entries, folder: join(staging, "lib"), installation: "package", output: {} });
  try {
    renameSync(staging, folder);
  } catch {
    // Another process was faster: its build is the same.
    rmSync(staging, { recursive: true });
  }
  return folder;
}

function hashSources(): string {
  const hash = createHash("sha256");
  const sources = globSync("{bin,packages,release,src}/**/*", { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map(({ parentPath, name }) => join(parentPath, name));
  const files = ["package.json", "package-lock.json", "prices.json"].map((name) => join(ROOT, name));
  for (const path of [...sources.sort(), ...files]) hash.update(`${path}\n`).update(readFileSync(path));
  return hash.digest("hex").slice(0, 16);
}

/** Removes what was built from the sources of other days. */
function removeOld(): void {
  if (!existsSync(BUILDS)) return;
  for (const name of readdirSync(BUILDS)) {
    const folder = join(BUILDS, name);
    if (Date.now() - statSync(folder).mtimeMs > DAY_MS) rmSync(folder, { recursive: true, force: true });
  }
}
