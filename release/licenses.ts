/** The licences of the libraries in a bundle, which must go along with it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Library {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly text: string;
}

/** A document with the licence of every package that one of the modules belongs to. */
export function licensesOf(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((path) => packageFolder(path) ?? []));
  const libraries = [...folders].map(readLibrary).sort((one, other) => one.name.localeCompare(other.name));
  const sections = new Set(
    libraries.map(({ name, version, license, text }) => `## ${name} ${version}\n\n${license}\n\n${text}`),
  );
  return ["# Licences of the libraries in this package", ...sections, ""].join("\n\n");
}

/** The folder of the package that a module belongs to; null for a module of ours or of the bundler. */
function packageFolder(path: string): string | null {
  const [found] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path.replace(/^\0/, "")) ?? [];
  return found !== undefined && existsSync(join(found, "package.json")) ? found : null;
}

function readLibrary(folder: string): Library {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Library;
  if (typeof license !== "string") throw new Error(`${name} does not name its licence`);
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)\b/i.test(file));
  const text = files.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
  return { name, version, license, text: text === "" ? "The package has no text of its licence." : text };
}
