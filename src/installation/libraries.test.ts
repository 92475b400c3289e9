import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { INSTALL_HERE, librariesBeside } from "./libraries.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-libraries-"));
after(() => rmSync(folder, { recursive: true }));

function install(at: string, name: string, value: string): string {
  const root = join(folder, at, "node_modules", name);
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "package.json"), '{"type":"module","exports":"./index.js"}');
  writeFileSync(join(root, "index.js"), `export const value = "${value}";`);
  return join(folder, at);
}

test("a package is taken from beside the program, else from the folder of the start", async () => {
  const program = join(install("program", "one", "of the program"), "package.json");
  const start = install("start", "one", "of the folder");
  install("start", "two", "of the folder");
  const libraries = librariesBeside(program, INSTALL_HERE, start);
  assert.deepEqual(["one", "two", "three"].map(libraries.has), [true, true, false]);
  const valueOf = async (name: string) => ((await libraries.load(name)) as { value: string }).value;
  assert.deepEqual([await valueOf("one"), await valueOf("two")], ["of the program", "of the folder"]);
  await assert.rejects(libraries.load("three"), /the package three is not installed/);
  assert.equal(libraries.installLine(["a@1", "b@2"]), "npm install --prefix . a@1 b@2");
});
