/** Checkouts of earlier commits, with their packages installed, kept for the next run. */
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
/** Outside the clone, since Node strips no types below `node_modules`. */
const CHECKOUTS = join(tmpdir(), "turngate-checkouts");
/** The last thing that is made: without it, an earlier run was stopped half-way. */
const INSTALLED = "node_modules/.package-lock.json";

/** The folder of a commit's program; made on first use, which takes a minute. Throws for what names no commit. */
export function checkoutOf(commit: string): string {
  const id = git("rev-parse", "--verify", "--quiet", `${commit}^{commit}`);
  const folder = join(CHECKOUTS, id.slice(0, 12));
  if (existsSync(join(folder, INSTALLED))) return folder;
  process.stderr.write(`installing ${commit} in ${folder}\n`);
  rmSync(folder, { recursive: true, force: true });
  git("clone", "--quiet", "--shared", "--no-checkout", ROOT, folder);
  git("-C", folder, "checkout", "--quiet", "--detach", id);
  execFileSync("npm", ["ci", "--silent", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return folder;
}

function git(...words: readonly string[]): string {
  return execFileSync("git", words, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
}
