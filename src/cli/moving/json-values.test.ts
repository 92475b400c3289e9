import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openJsonFile } from "./json-values.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-values-"));
after(() => rmSync(folder, { recursive: true }));

async function read(content: string | Buffer, bytesMax?: number) {
  const path = join(folder, "file");
  writeFileSync(path, content);
  const file = openJsonFile(path, bytesMax);
  const values: unknown[] = [];
  for await (const { line, value } of file.values()) values.push([line, value]);
  assert.equal(file.digest(), createHash("sha256").update(content).digest("hex"));
  return values;
}

test("values are read whether each has a line, several lines, or shares one, with the line where it begins", async () => {
  assert.deepEqual(await read('{"a":1}\n\n{"b":"}\\n{\\\\"}\n'), [
    [1, { a: 1 }],
    [3, { b: "}\n{\\" }],
  ]);
  assert.deepEqual(await read('\ufeff {\n "a": [\n{"b": "\\"]"}]\n}\r\n[1]{}'), [
    [1, { a: [{ b: '"]' }] }],
    [5, [1]],
    [5, {}],
  ]);
  assert.deepEqual(await read(" \n"), []);
});

test("a value may lie across any number of pieces of the file", async () => {
  const text = "é".repeat(200_000);
  assert.deepEqual(await read(`{"a":"${text}"}\n{"b":"${text}"}`), [
    [1, { a: text }],
    [2, { b: text }],
  ]);
});

const wrong: readonly (readonly [string, string | Buffer, RegExp])[] = [
  ["a text", '{}\n"a"', /file:2: no JSON object begins here/],
  ["an end without a beginning", "{}}", /file:1: no JSON object begins here/],
  ["an end that is missing", '\n{"a": [1,\n', /file:2: the value that begins here has no end/],
  ["no JSON", '{"secret", 1}', /file:1: the value that begins here is no JSON\.$/],
  ["another encoding", Buffer.from('\n{"a": "é"}', "latin1"), /file:2: .* no UTF-8/],
  ["a long value", `{}\n{"a":"${"x".repeat(200)}"}`, /file:2: .* more than 100 bytes/],
];
for (const [what, content, expected] of wrong) {
  test(`${what} is an error that names the line and repeats nothing`, async () => {
    await assert.rejects(read(content, 100), (error: Error) => {
      assert.match(error.message, expected);
      assert.ok(!error.message.includes("secret"));
      return true;
    });
  });
}
