/**
 * Builds the npm package and packs it: `npm run build:package`. The folder dist/package is what the tarball beside it holds, and what
 * `npm publish dist/package` would publish.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PROGRAM_ENTRIES, writeBundle } from "./bundle.ts";
import { copyFiles } from "./files.ts";
import { licensesOf } from "./licenses.ts";
import { packageManifest, runtimeProject } from "./manifest.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Builds the package and packs it into a folder, which is emptied first; returns the path of the tarball. */
export async function buildPackage(folder: string): Promise<string> {
  const content = join(folder, "package");
  const lib = join(content, "lib");
  rmSync(content, { recursive: true, force: true });
  mkdirSync(lib, { recursive: true });
  const copied = await copyFiles(join(content, "files"));
  const service = await writeBundle({
    entries: { ...PROGRAM_ENTRIES, "gateway-process": "src/library/gateway-process.ts" },
    folder: lib,
    installation: "package",
    output: {},
  });
  // By itself, since any Node loads it: the service runs in a process of its own.
  const library = await writeBundle({
    entries: { index: "src/library/start-turngate.ts" },
    folder: lib,
    installation: "package",
    output: { format: "esm", entryFileNames: "[name].js" },
  });
  writeTypes(lib);
  for (const name of [
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    "openapi.json",
    "openapi-manage.json",
    "prices.json",
    "turngate.schema.json",
    "turngate-accounts.schema.json",
  ])
    cpSync(join(ROOT, name), join(content, name));
  for (const name of ["turngate.js", "program.js", "runtime.js"])
    cpSync(join(ROOT, "bin", name), join(content, "bin", name));
  const runtime = runtimeProject();
  mkdirSync(join(content, "runtime"));
  writeJson(join(content, "runtime/package.json"), runtime.manifest);
  writeJson(join(content, "runtime/package-lock.json"), runtime.lockfile);
  writeJson(join(content, "package.json"), packageManifest());
  writeFileSync(join(content, "LICENSES.md"), licensesOf([...service, ...library, ...copied]));
  return pack(content, folder);
}

/** The declarations of the library. */
function writeTypes(lib: string): void {
  const words = [
    "--ignoreConfig",
    "--declaration",
    "--emitDeclarationOnly",
    "--target",
    "esnext",
    "--module",
    "nodenext",
  ];
  const types = ["--rewriteRelativeImportExtensions", "--skipLibCheck", "--types", "node", "--outDir", lib];
  const entry = join(ROOT, "src/library/start-turngate.ts");
  execFileSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), ...words, ...types, entry], {
    stdio: "inherit",
  });
}

function pack(content: string, folder: string): string {
  const printed = execFileSync("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: content,
    encoding: "utf8",
  });
  const packed = JSON.parse(printed) as readonly { readonly filename: string }[];
  const [{ filename } = { filename: "" }] = packed;
  return join(folder, filename);
}

function writeJson(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

if (import.meta.main) console.log(await buildPackage(join(ROOT, "dist")));
