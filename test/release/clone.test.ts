// Which program a clone runs: what `npm ci` has built, as long as it was built from the sources that are there.
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { BUILT, hashSources, programOf, HASH_FILE } from "../../bin/program.js";

const SOURCES = "src/main.ts";
const PROGRAM = `${BUILT}/main.cjs`;
const clone = `${mkdtempSync(join(tmpdir(), "turngate-clone-"))}/`;
after(() => rmSync(clone, { recursive: true }));
const inClone = (path: string) => join(clone, path);

beforeEach(() => {
  rmSync(clone, { recursive: true });
  for (const folder of ["packages", "src/core", BUILT]) mkdirSync(inClone(folder), { recursive: true });
  for (const file of [SOURCES, "src/core/response.ts", "package-lock.json"]) writeFileSync(inClone(file), file);
  writeFileSync(inClone(join(BUILT, HASH_FILE)), hashSources(clone));
});

test("the built program runs while the sources are those that it was built from; tests are none of them", () => {
  assert.equal(programOf(clone, ""), PROGRAM);
  writeFileSync(inClone("src/core/response.test.ts"), "");
  assert.equal(programOf(clone, "--max-semi-space-size=64"), PROGRAM);
});

const changes: Readonly<Record<string, () => void>> = {
  "a longer source": () => appendFileSync(inClone(SOURCES), " "),
  "a source of the same length": () => writeFileSync(inClone(SOURCES), SOURCES.toUpperCase()),
  "a source of another name": () => renameSync(inClone("src/core/response.ts"), inClone("src/core/turns.ts")),
  "a new source": () => writeFileSync(inClone("src/core/plan.ts"), ""),
  "a missing source": () => rmSync(inClone("src/core/response.ts")),
  "other libraries": () => appendFileSync(inClone("package-lock.json"), " "),
  "a build that was interrupted": () => rmSync(inClone(join(BUILT, HASH_FILE))),
  "no build": () => rmSync(inClone("dist"), { recursive: true }),
};
for (const [name, change] of Object.entries(changes)) {
  test(`the sources run: ${name}`, () => {
    change();
    assert.equal(programOf(clone, ""), SOURCES);
  });
}

test("whoever looks into the process finds the sources there", () => {
  for (const option of ["--inspect-brk", "--inspect=9229", "--import ./sdk.js", "--require ./hook.js"])
    assert.equal(programOf(clone, option), SOURCES, option);
});
