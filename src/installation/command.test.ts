import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { commandOfFile, commandOfPackage, quote } from "./command.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "turngate-command-")));
after(() => rmSync(folder, { recursive: true }));

function write(path: string, content: object | string = ""): string {
  const whole = join(folder, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, typeof content === "string" ? content : JSON.stringify(content));
  return whole;
}

test("an executable is named by its path, relative below the folder of the start, with quotes where a shell needs them", () => {
  const file = write("builds/turngate");
  assert.equal(commandOfFile(file, { folder, path: "/usr/bin" }), "./builds/turngate");
  assert.equal(commandOfFile(file, { folder: join(folder, "data"), path: "" }), file);
  assert.equal(commandOfFile(write("my builds/turngate"), { folder, path: "" }), "'./my builds/turngate'");
});

test("an executable on the PATH is named by its name, unless the name leads to another one", () => {
  const file = write("installed/turngate");
  const link = write("links/keep");
  symlinkSync(file, join(dirname(link), "turngate"));
  const other = dirname(write("other/turngate", "another program"));
  assert.equal(commandOfFile(file, { folder, path: `/nowhere:${dirname(file)}` }), "turngate");
  assert.equal(commandOfFile(file, { folder, path: dirname(link) }), "turngate");
  assert.equal(commandOfFile(file, { folder, path: `${other}:${dirname(file)}` }), "./installed/turngate");
});

test("what npx fetched is named with what npx was given", () => {
  const root = dirname(write("_npx/1/node_modules/turngate/package.json", {}));
  const place = { folder, path: join(folder, "_npx/1/node_modules/.bin") };
  for (const [packages, command] of [
    [["./dist/turngate-0.1.0.tgz"], "npx --yes --package=./dist/turngate-0.1.0.tgz turngate"],
    [["my files/t.tgz", "openai"], "npx --yes --package='my files/t.tgz' --package=openai turngate"],
    [["turngate"], "npx turngate"],
  ] as const) {
    write("_npx/1/package.json", { _npx: { packages } });
    assert.equal(commandOfPackage(root, place), command);
  }
});

test("a package of the folder runs by npx, one that is installed for all by its name", () => {
  const local = dirname(write("project/node_modules/turngate/package.json", {}));
  write("project/package.json", { dependencies: {} });
  write("project/node_modules/.bin/turngate");
  assert.equal(commandOfPackage(local, { folder: join(folder, "project"), path: "" }), "npx turngate");
  const bin = write("lib/node_modules/turngate/bin/turngate.js");
  symlinkSync(bin, join(folder, "lib/turngate"));
  const root = join(folder, "lib/node_modules/turngate");
  assert.equal(commandOfPackage(root, { folder, path: join(folder, "lib") }), "turngate");
  assert.equal(commandOfPackage(root, { folder, path: "" }), "./lib/node_modules/turngate/bin/turngate.js");
});

test("a word is quoted for a shell", () => {
  assert.deepEqual(["acme", "a b", "it's"].map(quote), ["acme", "'a b'", "'it'\\''s'"]);
});
