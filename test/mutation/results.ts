// Results in .mutation/, so that an interrupted run continues. They are kept under a hash of everything but the test
// files: each result names the versions of the test files that it speaks of, and holds while those stay as they are.
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findFiles, ROOT } from "./scope.ts";

/** A file of JSON lines, appended as results arrive. */
export class Results<Line> {
  readonly lines: Line[];
  readonly #path: string;

  constructor(name: string) {
    const folder = join(ROOT, ".mutation", hashTree());
    mkdirSync(folder, { recursive: true });
    this.#path = join(folder, name);
    const text = existsSync(this.#path) ? readFileSync(this.#path, "utf8") : "";
    this.lines = text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Line);
  }

  add(line: Line): void {
    this.lines.push(line);
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`);
  }
}

/** A test file as it is now: its path and a hash of its text. */
export function versionOf(file: string): string {
  return `${file}@${createHash("sha256")
    .update(readFileSync(join(ROOT, file)))
    .digest("hex")
    .slice(0, 8)}`;
}

function hashTree(): string {
  const hash = createHash("sha256");
  for (const path of findFiles(["src/**/*.{ts,sql}", "test/**/*.ts"])) {
    if (path.startsWith("test/mutation/") || path.endsWith(".test.ts")) continue;
    hash.update(path).update(readFileSync(join(ROOT, path)));
  }
  return hash.digest("hex").slice(0, 16);
}
