// How a shell runs the command again, from the folder where it was started. The greeting and help print it, to be pasted.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { basename, delimiter, join, relative } from "node:path";

/** Where the command was started: the folder, and the environment's `PATH`. */
export interface StartPlace {
  readonly folder: string;
  readonly path: string;
}

/** The folder and `PATH` of this process. */
export function startPlace(): StartPlace {
  return { folder: process.cwd(), path: process.env["PATH"] ?? "" };
}

/** The words that run a file: its name if the `PATH` leads to it, else its path, relative below the folder of the start. */
export function commandOfFile(file: string, { folder, path }: StartPlace): string {
  const name = basename(file, ".js");
  const found = path
    .split(delimiter)
    .map((each) => join(each, name))
    .find((each) => existsSync(each));
  if (found !== undefined && isSameFile(found, file)) return quote(name);
  const below = relative(folder, file);
  return quote(below.startsWith("..") ? file : `./${below}`);
}

/**
 * The words that run the npm package whose folder is `root`. `npx` starts what is installed in the folder of the start;
 * else it keeps the package in a cache, whose manifest says from where it came. A package that is installed for all is
 * on the `PATH`.
 */
export function commandOfPackage(root: string, place: StartPlace): string {
  const specifiers = npxSpecifiers(join(root, "../../package.json"));
  if (specifiers !== null) {
    return specifiers.includes("turngate")
      ? "npx turngate"
      : // npx asks before it installs a file, however often.
        `npx --yes ${specifiers.map((each) => `--package=${quote(each)}`).join(" ")} turngate`;
  }
  const isLocal = existsSync(join(place.folder, "node_modules/.bin/turngate"));
  return isLocal ? "npx turngate" : commandOfFile(join(root, "bin/turngate.js"), place);
}

/** What npx was given as packages, from the manifest of its cache; null: the file is no such manifest. */
function npxSpecifiers(manifest: string): readonly string[] | null {
  try {
    const { _npx } = JSON.parse(readFileSync(manifest, "utf8")) as { _npx?: { packages?: readonly string[] } };
    return _npx?.packages ?? null;
  } catch {
    return null;
  }
}

function isSameFile(one: string, other: string): boolean {
  return existsSync(other) && realpathSync(one) === realpathSync(other);
}

/** Quotes a word for a shell. */
export function quote(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
