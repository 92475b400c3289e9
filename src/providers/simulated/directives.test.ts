import assert from "node:assert/strict";
import test from "node:test";
import { readSections } from "./directives.ts";

test("a text without directives is taken literally", () => {
  const text = " /etc/passwd\n\n /say is indented\n/unknown word\n/Say\n/ \n//say\n";
  assert.deepEqual(readSections(text), [{ directives: [], text }]);
});

test("directives are removed, the text between them stays", () => {
  assert.deepEqual(readSections("\nHello\n/wait 5 \r\n\nyou\n/say  two  words\t\n"), [
    {
      directives: [
        { word: "wait", rest: "5" },
        { word: "say", rest: "two  words" },
      ],
      text: "Hello\n\nyou",
    },
  ]);
});

test("lines end at line feeds and carriage returns, not at Unicode separators", () => {
  // JSON.stringify does not escape them.
  assert.deepEqual(readSections('/tool f {"a":"x\u2028y\u2029z"}\r/say a\u2028b'), [
    {
      directives: [
        { word: "tool", rest: 'f {"a":"x\u2028y\u2029z"}' },
        { word: "say", rest: "a\u2028b" },
      ],
      text: "",
    },
  ]);
});

test("each /then begins the section of the next round", () => {
  assert.deepEqual(readSections("/tools\n/then\n/say A\n/then\nB"), [
    { directives: [{ word: "tools", rest: "" }], text: "" },
    { directives: [{ word: "say", rest: "A" }], text: "" },
    { directives: [], text: "B" },
  ]);
});

test("text around directives keeps its line breaks and its indentation", () => {
  assert.deepEqual(readSections(" \n\r\n  a\r\rb \r\n/say x\r\n c \n\n "), [
    { directives: [{ word: "say", rest: "x" }], text: "  a\r\rb \r\n c " },
  ]);
});

test("lines that are no directives take no step each, whatever they begin with", (context) => {
  const steps = context.mock.method(RegExp.prototype, "exec");
  const [section] = readSections(`${"/a\n/say.\r/say\u00a0x\r\ny\n".repeat(1_000)}/say \u00a0x`);
  assert.deepEqual(section?.directives, [{ word: "say", rest: "x" }]);
  assert.ok(steps.mock.callCount() < 20);
});
