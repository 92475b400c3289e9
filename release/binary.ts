/**
 * Builds the single executable: `npm run build:binary`. It is this Node with the program and its files inside, for this platform only.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { FLAGS } from "../bin/runtime.js";
import { writeBundle } from "./bundle.ts";
import { copyFiles } from "./files.ts";
import { licensesOf } from "./licenses.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Builds the executable into a folder, which is emptied first, and puts the licences of what is inside beside it; returns its path. */
export async function buildBinary(folder: string): Promise<string> {
  const content = join(folder, "content");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(content, { recursive: true });
  const copied = await copyFiles(join(content, "files"));
  const output = { codeSplitting: false, entryFileNames: "[name].js" } as const;
  const program = { main: "src/main.ts" };
  const thread = { "store-thread": "src/store/sqlite/workers/worker.ts" };
  const bundle = { folder: content, installation: "binary" } as const;
  const modules = [
    ...(await writeBundle({ ...bundle, entries: program, output: { ...output, format: "cjs" } })),
    ...(await writeBundle({ ...bundle, entries: thread, output: { ...output, format: "esm" } })),
  ];
  for (const name of ["package.json", "prices.json"]) copyFileSync(join(ROOT, name), join(content, name));
  const assets = listFiles(content).filter((path) => path !== "main.js");
  const executable = join(folder, process.platform === "win32" ? "turngate.exe" : "turngate");
  const flags = [...FLAGS, "--no-allocation-site-pretenuring"];
  const configuration = {
    main: join(content, "main.js"),
    output: executable,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    execArgv: flags,
    assets: Object.fromEntries(assets.map((path) => [path, join(content, path)])),
  };
  const configurationFile = join(folder, "sea.json");
  writeFileSync(configurationFile, JSON.stringify(configuration));
  // With the flags of a start: V8 rejects compiled code that was made with others.
  execFileSync(process.execPath, [...flags, "--build-sea", configurationFile], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  writeFileSync(join(folder, "LICENSES.md"), licensesOf([...modules, ...copied]));
  copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  copyFileSync(nodeLicense(), join(folder, "LICENSE-node"));
  rmSync(content, { recursive: true });
  rmSync(configurationFile);
  return executable;
}

/** The files below a folder, with slashes on every platform. */
function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join("/"));
}

/** The licence of Node, whose package for npm has it beside the executable's folder. */
function nodeLicense(): string {
  return join(process.execPath, "../../LICENSE");
}

if (import.meta.main) console.log(await buildBinary(join(ROOT, "dist/binary")));
