import assert from "node:assert/strict";
import { test } from "node:test";
import { parseModule } from "./modules.ts";

const specifiers = (text: string) => parseModule("flows/x.ts", text).imports.map(({ specifier }) => specifier);

test("every form of import is found", () => {
  assert.deepEqual(specifiers('import a from "./a.ts";'), ["./a.ts"]);
  assert.deepEqual(specifiers('import {\n  a,\n  type B,\n} from "./a.ts";'), ["./a.ts"]);
  assert.deepEqual(specifiers('import * as a from "./a.ts";'), ["./a.ts"]);
  assert.deepEqual(specifiers('import a, { b } from "./a.ts";'), ["./a.ts"]);
  assert.deepEqual(specifiers('export * from "./a.ts";'), ["./a.ts"]);
  assert.deepEqual(specifiers('export { a } from "./a.ts";'), ["./a.ts"]);
  assert.deepEqual(specifiers('import "./a.ts";'), ["./a.ts"]);
  assert.deepEqual(specifiers('const a = await import("./a.ts");'), ["./a.ts"]);
  assert.deepEqual(specifiers('import a from "./a.ts";\nimport b from "./b.ts";'), ["./a.ts", "./b.ts"]);
});

test("comments and strings contain no imports", () => {
  assert.deepEqual(
    specifiers('// import a from "./a.ts";\n/* import b from "./b.ts"; */\nconst url = "http://x";'),
    [],
  );
  assert.deepEqual(specifiers('const text = "// not a comment";\nimport a from "./a.ts";'), ["./a.ts"]);
});

test("type-only imports are recognised", () => {
  const isTypeOnly = (text: string) => parseModule("flows/x.ts", text).imports.map((found) => found.isTypeOnly);
  assert.deepEqual(isTypeOnly('import type { A } from "./a.ts";'), [true]);
  assert.deepEqual(isTypeOnly('import { type A, type B } from "./a.ts";'), [true]);
  assert.deepEqual(isTypeOnly('import { type A, b } from "./a.ts";'), [false]);
});

test("targets are paths below src", () => {
  const [found] = parseModule("flows/x.ts", 'import a from "../core/response/plan.ts";').imports;
  assert.equal(found?.target, "core/response/plan.ts");
});
