import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { findDeadLinks } from "../../site/dead-links.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-site-"));
after(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, "docs"));
writeFileSync(join(folder, "index.html"), '<h1 id="top"></h1><a class="x" href="/site/docs/page">');
writeFileSync(join(folder, "picture.webp"), "");

test("a page, a heading and a file that exist are found, in every form of a link; the others are named", () => {
  const alive = [
    "./page.html",
    "page#one",
    "#one",
    "../",
    "../index.html#top",
    "/site/",
    "/site/picture.webp",
    "https://a.test/x",
  ];
  const dead = ["./README.html", "page#two", "#two", "../missing/", "/site/missing", "/docs/page"];
  const links = [...alive, ...dead].map((href) => `<a class="link" href="${href}">`).join("");
  writeFileSync(join(folder, "docs/page.html"), `<h2 id="one"></h2>${links}`);
  assert.deepEqual(
    findDeadLinks(folder, "/site/"),
    dead.map((href) => `docs/page.html: ${href}`),
  );
});
