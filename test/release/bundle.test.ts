// What the bundler does to our modules.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { asksForPlace, writeBundle } from "../../release/bundle.ts";

const ROOT = join(import.meta.dirname, "../..");

test("a bundle is ASCII, and its strings, templates and expressions mean what they meant", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "turngate-bundle-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const name = "Zoë 😀";
  writeFileSync(
    join(folder, "entry.ts"),
    `/** Gone. */ export const texts: string[] = ["${name}", \`\${1}${name}\`, "${name}".replace(/[ë😀]/gu, "-")];`,
  );
  const output = join(folder, "output");
  await writeBundle({
    entries: { entry: join(folder, "entry.ts") },
    folder: output,
    installation: "package",
    output: {},
  });
  assert.deepEqual(readdirSync(output), ["entry.cjs"]);
  const code = readFileSync(join(output, "entry.cjs"), "utf8");
  assert.match(code, /^[\0-\x7f]+$/);
  assert.doesNotMatch(code, /Gone/);
  const { texts } = createRequire(import.meta.url)(join(output, "entry.cjs")) as { texts: string[] };
  assert.deepEqual(texts, [name, `1${name}`, "Zo- -"]);
});

test("a module that finds files by its own place is not bundled, unless it is made for that", () => {
  const code = 'new URL("./file.sql", import.meta.url)';
  assert.ok(asksForPlace(join(ROOT, "src/store/open.ts"), code));
  assert.ok(!asksForPlace(join(ROOT, "src/store/open.ts"), "open(installation.root)"));
  assert.ok(!asksForPlace(join(ROOT, "src/installation/package.ts"), code));
  assert.ok(!asksForPlace(join(ROOT, "node_modules/library/index.js"), code));
});
