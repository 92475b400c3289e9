import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { makeFolder } from "./make-folder.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-folders-"));
after(() => rmSync(folder, { recursive: true }));

test("a folder is created with those around it, for its owner alone; a second time changes nothing", () => {
  const deep = join(folder, "one", "two", "three");
  makeFolder(deep);
  makeFolder(relative(process.cwd(), deep));
  for (const made of [join(folder, "one"), deep]) assert.equal(statSync(made).mode & 0o777, 0o700);
});

test("a folder that can't be created is an error that names it", () => {
  symlinkSync(join(folder, "nowhere"), join(folder, "dangling"));
  assert.throws(() => makeFolder(join(folder, "dangling", "data")), /EEXIST.*dangling'/);
});

test("where the system creates nothing, the attempt ends", { skip: process.platform !== "linux" }, () => {
  assert.throws(() => makeFolder("/proc/turngate/data"), /ENOENT.*mkdir '\/proc\/turngate'/);
});
