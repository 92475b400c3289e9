// A provider family is one folder below src/providers/ and one line in families.ts: no other module names it.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { FAMILIES } from "../../src/providers/families.ts";
import { withoutComments } from "./modules.ts";

const SRC = join(import.meta.dirname, "../../src");
const TYPES = FAMILIES.map(({ type }) => type);
const folderOf = (path: string) => TYPES.find((type) => path.startsWith(`providers/${type}/`));

/** The families that a module names, in whatever case; one in a family's folder may name others, but not import them. */
function namedIn(path: string, source: string): readonly string[] {
  const own = folderOf(path);
  if (own !== undefined)
    return TYPES.filter((type) => type !== own && new RegExp(`(?:from|import) ?\\(?"[^"]*/${type}/`).test(source));
  const code = withoutComments(source).toLowerCase();
  return TYPES.filter((type) => code.includes(type));
}

test("no module outside a family's folder names the family", () => {
  const paths = globSync("**/*.ts", { cwd: SRC }).filter((path) => !path.endsWith(".test.ts"));
  assert.ok(paths.length > 300);
  const named = paths
    .filter((path) => path !== "providers/families.ts")
    .flatMap((path) => namedIn(path, readFileSync(join(SRC, path), "utf8")).map((type) => `${path} names ${type}`));
  assert.deepEqual(named, []);
});

test("a family's name is found in texts, identifiers and imports, but not in comments", () => {
  assert.deepEqual(namedIn("boot/a.ts", 'const a = "gemini"'), ["gemini"]);
  assert.deepEqual(namedIn("boot/a.ts", "const ANTHROPIC_KEY = 1"), ["anthropic"]);
  assert.deepEqual(namedIn("boot/a.ts", "// gemini has none\nconst a = 1"), []);
  assert.deepEqual(namedIn("providers/openai/a.ts", 'import a from "../gemini/a.ts"'), ["gemini"]);
});

test("every folder below src/providers is a family's, except the shared wire code and recordings", () => {
  const folders = globSync("providers/*/", { cwd: SRC }).map((path) => path.split("/")[1] ?? "");
  assert.deepEqual(folders.toSorted(), [...TYPES, "recording", "wire"].toSorted());
});
