// `@spec chapter/section` in the code points into docs/interface.md, and every section is pointed at: an orphan tag or
// a section without a room fails. A section's name is its heading in lower case with hyphens, without the part in
// brackets; an endpoint's is its method and path, its ids as `id`: "GET /conversations/{conversation_id}/items" is
// endpoints/get-conversations-id-items.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");

/** The chapters that have a shorter name than their heading. */
const SHORT_NAMES: Readonly<Record<string, string>> = { "resources-and-their-fields": "resources" };

const sections = readSections(readFileSync(join(ROOT, "docs/interface.md"), "utf8"));
const files = globSync("{src,test,bench}/**/*.ts", { cwd: ROOT }).filter((file) => !file.endsWith("spec.test.ts"));
const tags = files.flatMap((file) =>
  readTags(readFileSync(join(ROOT, file), "utf8")).map((section) => ({ file, section })),
);

test("every @spec tag names a section of the specification", () => {
  assert.ok(tags.length > 100, `only ${tags.length} tags were read`);
  const orphans = tags.filter(({ section }) => !sections.has(section));
  assert.deepEqual(orphans, []);
});

test("every section of the specification has a room in the code", () => {
  assert.ok(sections.size > 30, `only ${sections.size} sections were read`);
  const rooms = new Set(tags.flatMap(({ file, section }) => (file.startsWith("src/") ? [section] : [])));
  const roomless = [...sections].filter((section) => !rooms.has(section));
  assert.deepEqual(roomless, []);
});

test("every rule of docs/wire.md that the code cites by name exists", () => {
  const page = readFileSync(join(ROOT, "docs/wire.md"), "utf8");
  const names = new Set(
    Array.from(page.matchAll(/^## ([^(\n]+?)(?: \(.*)?$|^\d+\. \*\*(.+?)\.?\*\*/gm), (m) => m[1] ?? m[2]),
  );
  const cited = files.flatMap((file) =>
    Array.from(
      readFileSync(join(ROOT, file), "utf8").matchAll(/docs\/wire\.md(?: \(|, )([A-Z][\w ,]+)/g),
      ([, list = ""]) => list.split(", ").map((name) => ({ file, name: name.trim() })),
    ).flat(),
  );
  assert.ok(cited.length > 40, `only ${cited.length} citations were read`);
  assert.deepEqual(
    cited.filter(({ name }) => !names.has(name)),
    [],
  );
});

/** Chapters as `chapter`, their sections as `chapter/section`. */
function readSections(markdown: string): Set<string> {
  const found = new Set<string>();
  let chapter = "";
  for (const [, level, heading = ""] of markdown.matchAll(/^(##|###) (.+)$/gm)) {
    const name = slug(heading);
    if (level === "##") chapter = SHORT_NAMES[name] ?? name;
    found.add(level === "##" ? chapter : `${chapter}/${name}`);
  }
  return found;
}

function slug(heading: string): string {
  const named = /^(?:GET|POST|DELETE)\b/.test(heading) ? heading : heading.replace(/\s*\(.*\)/, "");
  return named
    .replaceAll(/\{\w+\}/g, "id")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/-$/, "");
}

/** One tag may list several sections, separated by commas; a note in brackets may follow each. */
function readTags(source: string): string[] {
  return [...source.matchAll(/@spec ([^\n;*]+)/g)].flatMap(([, list = ""]) =>
    list
      .replaceAll(/\([^)]*\)/g, "")
      .split(",")
      .map((section) => section.trim().replace(/[.:]$/, "")),
  );
}
