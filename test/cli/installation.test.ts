// Messages of a clone in which something is not installed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const CLONE = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "turngate-clone-"));
after(() => rmSync(folder, { recursive: true, force: true }));
for (const path of ["bin", "package.json"]) cpSync(join(CLONE, path), join(folder, path), { recursive: true });
const older = join(folder, "older.mjs");
writeFileSync(
  older,
  'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } });\n',
);

function start(...flags: readonly string[]): string {
  const { stderr, status } = spawnSync(process.execPath, [...flags, join(folder, "bin/turngate.js"), "serve"]);
  assert.equal(status, 1);
  return stderr.toString();
}

test("without node_modules the command asks for `npm ci`, on any Node", () => {
  for (const flags of [[], ["--import", older]]) {
    assert.equal(start(...flags), "error: dependencies are not installed; run `npm ci` first.\n");
  }
});

test("an older Node gets a message where Node 26 comes from", () => {
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  assert.match(
    start("--import", older),
    /^error: this is Node 20\.1\.0, but Turngate needs Node 26, .*--include=optional.*\n$/,
  );
  writeFileSync(join(folder, "node_modules/.bin/node"), "");
  assert.match(
    start("--import", older),
    /^error: this is Node 20\.1\.0, but Node 26 is installed with Turngate: start it with npx or npm run\.\n$/,
  );
});
