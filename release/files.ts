/** The files beside the program: the management app, which is built here, the migrations, and the files of Swagger UI. */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const REFERENCE = join(ROOT, "node_modules/swagger-ui-dist");
/** What /docs serves; the package has ten times as much. */
const REFERENCE_FILES = ["swagger-ui-bundle.js", "swagger-ui-bundle.js.LICENSE.txt", "swagger-ui.css"];

/** Puts the files into a folder as src/installation/package.ts and binary.ts expect them; returns the paths of those that are not ours. */
export async function copyFiles(folder: string): Promise<readonly string[]> {
  for (const engine of ["sqlite", "postgres"]) {
    cpSync(join(ROOT, "src/store", engine, "migrations"), join(folder, "migrations", engine), { recursive: true });
  }
  mkdirSync(join(folder, "reference"), { recursive: true });
  for (const name of REFERENCE_FILES) cpSync(join(REFERENCE, name), join(folder, "reference", name));
  await build({
    root: join(ROOT, "app"),
    logLevel: "warn",
    build: { outDir: join(folder, "app"), license: { fileName: "LICENSES.md" } },
  });
  return REFERENCE_FILES.map((name) => join(REFERENCE, name));
}
