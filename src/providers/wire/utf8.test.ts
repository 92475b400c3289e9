import assert from "node:assert/strict";
import test from "node:test";
import { createUtf8Reader, NotUtf8Error } from "./utf8.ts";

const TEXT = "plain, wörld, 漢字, 🎉 and \u0000";

test("text is the same wherever its bytes are cut", () => {
  const bytes = Buffer.from(TEXT);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const reader = createUtf8Reader();
    assert.equal(reader.read(bytes.subarray(0, cut)) + reader.read(bytes.subarray(cut)), TEXT);
    reader.end();
  }
});

test("text is the same when its bytes arrive one by one", () => {
  const reader = createUtf8Reader();
  const text = Array.from(Buffer.from(TEXT), (byte) => reader.read(Uint8Array.of(byte))).join("");
  reader.end();
  assert.equal(text, TEXT);
});

test("bytes that are not UTF-8 are an error, whole or cut", () => {
  const broken = [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80], [0xc0, 0xaf]];
  for (const bytes of broken) {
    for (let cut = 0; cut < bytes.length; cut++) {
      const reader = createUtf8Reader();
      assert.throws(() => {
        reader.read(Uint8Array.from(bytes.slice(0, cut)));
        reader.read(Uint8Array.from(bytes.slice(cut)));
        reader.end();
      }, NotUtf8Error);
    }
  }
});

test("a character cut off by the end is an error", () => {
  const reader = createUtf8Reader();
  assert.equal(reader.read(Buffer.from("é🎉").subarray(0, 4)), "é");
  assert.throws(() => reader.end(), NotUtf8Error);
});

test("only the lines before bytes that are not UTF-8 are text, wherever the bytes are cut", () => {
  const bytes = Buffer.concat([Buffer.from("é 1\n🎉 2\n3"), Buffer.from([0xff]), Buffer.from("4\n5\n")]);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const reader = createUtf8Reader();
    const text = reader.read(bytes.subarray(0, cut)) + reader.read(bytes.subarray(cut));
    assert.match(text, /^é 1\n🎉 2\n3?$/, `cut at ${cut}`);
    assert.throws(() => reader.check(), NotUtf8Error);
    assert.throws(() => reader.end(), NotUtf8Error);
  }
});

test("valid UTF-8 is no error, nor is a character split between reads", () => {
  const reader = createUtf8Reader();
  reader.read(Buffer.from("é🎉").subarray(0, 4));
  reader.check();
});
