// The examples of the documents: fenced blocks whose info string holds `run`.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Block {
  readonly place: string;
  readonly language: string;
  readonly code: string;
}

/** The blocks of a text that are marked `run`. */
export function findBlocks(file: string, text: string): Block[] {
  const blocks: Block[] = [];
  let open: { fence: string; language: string; mayRun: boolean; line: number; code: string[] } | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    const [, fence = "", info = ""] = /^ {0,3}(`{3,})(.*)$/.exec(line) ?? [];
    if (open === null) {
      if (fence === "") continue;
      const [language = "", ...words] = info.trim().split(/\s+/);
      open = { fence, language, mayRun: words.includes("run"), line: index + 1, code: [] };
    } else if (fence.length >= open.fence.length && info.trim() === "") {
      const { language, mayRun, code } = open;
      if (mayRun) blocks.push({ place: `${file}, line ${open.line}`, language, code: code.join("\n") });
      open = null;
    } else open.code.push(line);
  }
  return blocks;
}

/** The blocks marked `run` of the README and of the pages directly in docs/. */
export function documentBlocks(): Block[] {
  const pages = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
  const files = ["README.md", ...pages.map((name) => join("docs", name))];
  return files.flatMap((file) => findBlocks(file, readFileSync(join(ROOT, file), "utf8")));
}
