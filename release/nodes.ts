/** The versions of Node that the package is tried on: those on this machine, and those that npm brings. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Each line of Node that the package promises to start on. */
export const MAJORS = [20, 22, 24, 26];

export interface Node {
  readonly version: string;
  readonly path: string;
}

/** A Node of that line: on the PATH, or fetched by npm into the folder; null if there is neither. */
export function findNode(major: number, folder: string): Node | null {
  const here = [process.execPath, ...(process.env["PATH"] ?? "").split(delimiter).map((each) => join(each, "node"))];
  for (const path of here.filter((each) => existsSync(each))) {
    const version = versionOf(path);
    if (version.startsWith(`${major}.`)) return { version, path };
  }
  return fetchNode(major, join(folder, `node-${major}`));
}

function fetchNode(major: number, folder: string): Node | null {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  try {
    // The platform's package, which needs no script.
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", `${name}@${major}`], {
      cwd: folder,
      stdio: "ignore",
    });
  } catch {
    return null;
  }
  const path = join(folder, "node_modules", name, "bin/node");
  return { version: versionOf(path), path };
}

function versionOf(path: string): string {
  return execFileSync(path, ["--version"], { encoding: "utf8" }).trim().slice(1);
}
