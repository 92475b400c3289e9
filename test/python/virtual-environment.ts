// A virtual environment with the Python clients, in node_modules/.cache. Installed once for each list of packages: it takes a minute.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const REQUIREMENTS = join(import.meta.dirname, "requirements.txt");
/** The oldest version that the packages install on. */
const PYTHON = { major: 3, minor: 10 } as const;
const INSTALL_MS = 600_000;

/** The Python of the environment, or why there is none. */
export type PythonFound = { readonly python: string } | { readonly missing: string };

/** Finds or makes the environment. */
export function preparePython(): PythonFound {
  const version = spawnSync("python3", [
    "-c",
    `import sys; sys.exit(sys.version_info < (${PYTHON.major}, ${PYTHON.minor}))`,
  ]);
  if (version.error !== undefined) return { missing: "there is no python3 here" };
  if (version.status !== 0) return { missing: `python3 is older than ${PYTHON.major}.${PYTHON.minor}` };
  const hash = createHash("sha256").update(readFileSync(REQUIREMENTS)).digest("hex").slice(0, 12);
  const folder = join(ROOT, "node_modules/.cache", `python-clients-${hash}`);
  const python = join(folder, "bin/python");
  const done = join(folder, "installed");
  if (existsSync(done)) return { python };
  rmSync(folder, { recursive: true, force: true });
  const made =
    lastLineOf("python3", ["-m", "venv", folder]) ??
    lastLineOf(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS]);
  if (made !== null) return { missing: `the packages could not be installed: ${made}` };
  writeFileSync(done, "");
  return { python };
}

/** Runs a command: null, or the last line of what it printed when it failed. */
function lastLineOf(command: string, words: readonly string[]): string | null {
  const { status, stdout, stderr } = spawnSync(command, words, { encoding: "utf8", timeout: INSTALL_MS });
  return status === 0 ? null : (`${stdout}${stderr}`.trim().split("\n").at(-1) ?? "");
}
