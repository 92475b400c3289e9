// The site of the documents, without building it: every page has its place in the sidebar, and every link to a heading finds one.
// That the target of a link exists is in named-files.test.ts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { test } from "node:test";
import { cloneFileOf, listPages, listPictures, readSidebar, ROOT, unlistedPages } from "../../site/pages.ts";
import { slugOf } from "../../site/slug.ts";

const PAGES = ["README.md", ...listPages()];

/** A page without its fenced blocks. */
function readProse(page: string): string {
  return readFileSync(join(ROOT, page), "utf8").replaceAll(/^(`{3,}).*\n[^]*?^\1$/gm, "");
}

/** The anchors of a page's headings; of headings with the same text the later ones are numbered. */
function anchorsOf(prose: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of prose.matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = slugOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[`*]/g, ""));
    for (let number = 0; ; number++) {
      const anchor = number === 0 ? slug : `${slug}-${number}`;
      if (anchors.has(anchor)) continue;
      anchors.add(anchor);
      break;
    }
  }
  return anchors;
}

const anchors = new Map(PAGES.map((page) => [page, anchorsOf(readProse(page))]));

/** Links to headings that are not there. */
function deadAnchors(page: string, prose: string): string[] {
  return Array.from(prose.matchAll(/\]\(([^)#:\s]*)#([^)\s]+)\)/g), ([, path = "", anchor = ""]) => ({ path, anchor }))
    .filter(({ path, anchor }) => {
      const target = path === "" ? page : posix.normalize(posix.join(posix.dirname(page), path));
      return anchors.get(target)?.has(anchor) === false;
    })
    .map(({ path, anchor }) => `${page}: ${path}#${anchor}`);
}

test("every page has its place in the table of docs/README.md, which is the site's sidebar", () => {
  assert.deepEqual(unlistedPages(), []);
  const groups = readSidebar();
  assert.deepEqual(
    groups.map(({ text }) => text),
    ["Everybody", "Operators", "Providers", "Contributors"],
  );
  assert.ok(groups[0]?.items.some(({ text, link }) => text === "Quick start" && link === "/docs/quick-start"));
});

test("a page that the table leaves out is found, and the pages beside a folder's README stand below it", () => {
  const index = "# All\n\n| for | page |\n|---|---|\n| all | [money](money.md), [why](decisions/README.md) |\n";
  const pages = ["docs/decisions/README.md", "docs/decisions/money.md", "docs/money.md", "docs/nodes.md"];
  const sidebar = readSidebar(index, pages);
  assert.deepEqual(
    sidebar[0]?.items.map(({ link, items }) => [link, items?.map((item) => item.link)]),
    [
      ["/docs/money", undefined],
      ["/docs/decisions/", ["/docs/decisions/money"]],
    ],
  );
  assert.deepEqual(unlistedPages(sidebar, pages), ["docs/nodes.md"]);
});

test("every picture that a page shows is on the site", () => {
  const pictures = listPictures();
  const missing = PAGES.flatMap((page) =>
    Array.from(readProse(page).matchAll(/!\[[^\]]*\]\(([^)\s]+)\)/g), ([, path = ""]) =>
      posix.normalize(posix.join(posix.dirname(page), path)),
    ),
  ).filter((path) => !pictures.includes(path));
  assert.deepEqual(missing, []);
});

test("every link to a heading finds one", () => {
  assert.deepEqual(
    PAGES.filter((page) => page !== "docs/interface.md").flatMap((page) => deadAnchors(page, readProse(page))),
    [],
  );
  assert.deepEqual(deadAnchors("docs/money.md", "[a](#nowhere) [b](nodes.md#backup-failover-upgrades) [c](app.md#x)"), [
    "docs/money.md: #nowhere",
    "docs/money.md: app.md#x",
  ]);
});

test("a link to a file of the clone that is no page is told from a page and from a dead link", () => {
  assert.equal(cloneFileOf("docs/deployment.md", "../deploy"), "deploy");
  assert.equal(cloneFileOf("docs/contributing/add-a-setting.md", "../../src/config/config.ts"), "src/config/config.ts");
  for (const href of ["money.md#holds", "gone.md", "#sizing", "https://example.com/a.ts"]) {
    assert.equal(cloneFileOf("docs/deployment.md", href), null);
  }
});

/** Lines that begin a table without its head: such rows are shown as text. */
function headlessTables(page: string, prose: string): string[] {
  const lines = prose.split("\n");
  return lines.flatMap((line, at) => {
    const isFirst = line.startsWith("|") && !lines[at - 1]?.startsWith("|");
    return isFirst && !/^\|[-: |]+\|$/.test(lines[at + 1] ?? "") ? [`${page}: ${line}`] : [];
  });
}

test("every table has a head", () => {
  assert.deepEqual(
    PAGES.flatMap((page) => headlessTables(page, readProse(page))),
    [],
  );
  const divided = "| a |\n|---|\n| 1 |\n\n| 2 |\n| 3 |\n";
  assert.deepEqual(headlessTables("docs/money.md", divided), ["docs/money.md: | 2 |"]);
});
