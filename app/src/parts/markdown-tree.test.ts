import assert from "node:assert/strict";
import { test } from "node:test";
import { type Block, type Inline, parseInline, parseMarkdown } from "./markdown-tree.ts";

/** A tree in short: `strong(a)`. */
const short = (nodes: readonly Inline[]): string =>
  nodes
    .map((node) => {
      if ("text" in node) return node.kind === "code" ? `code(${node.text})` : node.text;
      return `${node.kind}${node.kind === "link" ? ` ${node.href} ` : ""}(${short(node.children)})`;
    })
    .join("");
const kinds = (text: string) => parseMarkdown(text).map(({ kind }) => kind);

test("marks, code and links of a line", () => {
  const rows = [
    ["**bold** and *so* and `x < y`", "strong(bold) and em(so) and code(x < y)"],
    ["snake_case_name, 2 * 3 * 4, ~~gone~~", "snake_case_name, 2 * 3 * 4, del(gone)"],
    [
      "[docs](https://a.test/x) or https://b.test/y.",
      "link https://a.test/x (docs) or link https://b.test/y (https://b.test/y).",
    ],
    ["\\*not\\* **open", "*not* **open"],
  ] as const;
  for (const [text, tree] of rows) assert.equal(short(parseInline(text)), tree);
});

test("a link leads to the web or to mail alone, an image is a link, and HTML stays text", () => {
  for (const href of [
    "javascript:alert(1)",
    "JaVaScRiPt:alert`1`",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "//evil.test",
    "/turns",
  ]) {
    assert.doesNotMatch(short(parseInline(`[x](${href})`)), /^link/, href);
  }
  assert.equal(short(parseInline("![cat](https://evil.test/p.png)")), "link https://evil.test/p.png (image: cat)");
  const html = `<img src=x onerror="alert(1)"><script>alert(1)</script>`;
  assert.deepEqual(parseMarkdown(html), [{ kind: "paragraph", children: [{ kind: "text", text: html }] }]);
});

test("blocks", () => {
  const text =
    "# Title\n\nOne\ntwo\n\n- a\n- b\n  - c\n\n1. x\n2. y\n\n> quoted\n\n```js\nlet x = '*';\n```\n---\n|a|b|\n|-|-|\n|1|2|";
  assert.deepEqual(kinds(text), ["heading", "paragraph", "list", "list", "quote", "code", "rule", "table"]);
  const [, , list, ordered, , code, , table] = parseMarkdown(text) as readonly (Block & {
    items: readonly (readonly Block[])[];
    start: number | null;
    text: string;
    rows: readonly unknown[];
  })[];
  assert.equal(list?.items.length, 2);
  assert.deepEqual(
    list?.items[1]?.map(({ kind }) => kind),
    ["paragraph", "list"],
  );
  assert.equal(ordered?.start, 1);
  assert.equal(code?.text, "let x = '*';");
  assert.equal(table?.rows.length, 2);
});

test("a fence that is still open, as in a stream, is code to the end", () => {
  assert.deepEqual(parseMarkdown("```\nlet x"), [{ kind: "code", text: "let x" }]);
});

test("a text made to be slow takes a moment", () => {
  for (const part of ["*", "[", "`a", "_a ", "> ", "- ", "![", "**a", "(", "|-"]) {
    const before = performance.now();
    parseMarkdown(part.repeat(20_000));
    parseMarkdown(`${part}\n`.repeat(5000));
    const took = performance.now() - before;
    assert.ok(took < 5000, `${part}: ${took} ms`);
  }
});
