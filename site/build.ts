/**
 * `npm run build:site`: the documents as a website in site/dist, with a search. What makes it is installed on first use from this folder's own
 * lockfile. Words are passed on to VitePress: `npm run build:site -- --base /turngate/`. Fails on a dead link.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { findDeadLinks } from "./dead-links.ts";
import { listPages, listPictures, ROOT } from "./pages.ts";

const SITE = import.meta.dirname;
const VITEPRESS = join(SITE, "node_modules/vitepress/bin/vitepress.js");
/** Copies of the pages, within the folder whose packages they import once they are compiled. */
const COPIES = join(SITE, ".pages");

if (!existsSync(VITEPRESS)) {
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: SITE, stdio: "inherit" });
}
rmSync(COPIES, { recursive: true, force: true });
for (const page of [...listPages(), ...listPictures(), "site/index.md"]) {
  const copy = join(COPIES, page === "site/index.md" ? "index.md" : page);
  mkdirSync(dirname(copy), { recursive: true });
  cpSync(join(ROOT, page), copy);
}
const words = process.argv.slice(2);
const dist = join(SITE, "dist");
try {
  execFileSync(process.execPath, [VITEPRESS, "build", SITE, ...words], { stdio: "inherit" });
  const dead = findDeadLinks(dist, words[words.indexOf("--base") + 1 || words.length]);
  if (dead.length > 0) throw new Error(`dead links:\n${dead.join("\n")}`);
  console.log(dist);
} finally {
  rmSync(COPIES, { recursive: true, force: true });
}
