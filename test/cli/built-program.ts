// The program as the npm package has it, built from the current sources once for each state of them: it starts in half
// the time that a clone takes, and it is what most users run. `npm start` of a clone: npm-start.test.ts
import { createHash } from "node:crypto";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { writeBundle } from "../../release/bundle.ts";
import { askFor } from "../support/shared.ts";

const ROOT = join(import.meta.dirname, "../..");
const BUILDS = join(ROOT, "node_modules/.cache/turngate-program");

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

/** Builds the program if its sources have changed since the last call on this machine; resolves to its folder. */
export async function buildProgram(): Promise<string> {
  const folder = join(BUILDS, hashSources());
  if (existsSync(folder)) return folder;
  const staging = `${folder}.${process.pid}`;
  const files = join(staging, "files");
  mkdirSync(files, { recursive: true });
  for (const path of ["bin", "package.json"]) cpSync(join(ROOT, path), join(staging, path), { recursive: true });
  for (const engine of ["sqlite", "postgres"])
    cpSync(join(ROOT, "src/store", engine, "migrations"), join(files, "migrations", engine), { recursive: true });
  symlinkSync(join(ROOT, "app/dist"), join(files, "app"));
  symlinkSync(join(ROOT, "node_modules/swagger-ui-dist"), join(files, "reference"));
  await writeBundle({
    entries: { main: "src/main.ts", "store-thread": "src/store/sqlite/workers/worker.ts" },
    folder: join(staging, "lib"),
    installation: "package",
    output: {},
  });
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
  const sources = globSync("{bin,release,src}/**/*", { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map(({ parentPath, name }) => join(parentPath, name));
  for (const path of [...sources.sort(), join(ROOT, "package.json"), join(ROOT, "package-lock.json")])
    hash.update(`${path}\n`).update(readFileSync(path));
  return hash.digest("hex").slice(0, 16);
}
