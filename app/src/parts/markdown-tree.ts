// Markdown as a tree, for texts of models: what people read in a chat, and nothing that could run. HTML stays text, images
// become links, and links lead to web and mail addresses only. Each character is looked at a bounded number of times.

export type Inline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "em" | "del"; readonly children: readonly Inline[] }
  | { readonly kind: "link"; readonly href: string; readonly children: readonly Inline[] };

export type Block =
  | { readonly kind: "paragraph"; readonly children: readonly Inline[] }
  | { readonly kind: "heading"; readonly level: number; readonly children: readonly Inline[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "quote"; readonly children: readonly Block[] }
  | { readonly kind: "list"; readonly start: number | null; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: "table"; readonly rows: readonly (readonly (readonly Inline[])[])[] }
  | { readonly kind: "rule" };

/** Quotes and lists within each other, and marks within each other; deeper ones stay text. */
const DEPTH_MAX = 8;
/** Characters in which the end of a mark or link is looked for. */
const SPAN_MAX = 2000;

const FENCE = /^ {0,3}(```+|~~~+)/;
const HEADING = /^ {0,3}(#{1,6}) +(.*?)(?: +#+)?$/;
const RULE = /^ {0,3}(?:-[ -]*-[ -]*-|\*[ *]*\*[ *]*\*|_[ _]*_[ _]*_)[ ]*$/;
const ITEM = /^( {0,3})([-*+]|(\d{1,9})[.)]) +(.*)$/;
const TABLE_RULE = /^ *\|?(?: *:?-+:? *\|)+(?: *:?-+:? *)?$/;

/** The blocks of a text. */
export function parseMarkdown(text: string): readonly Block[] {
  return parseBlocks(text.replaceAll("\r\n", "\n").split("\n"), 0);
}

function parseBlocks(lines: readonly string[], depth: number): readonly Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    if (line.trim() === "") {
      at++;
      continue;
    }
    const { block, end } = readBlock(lines, at, depth);
    blocks.push(block);
    at = end;
  }
  return blocks;
}

/** The block that begins at a line, and the line after it. */
function readBlock(lines: readonly string[], at: number, depth: number): { block: Block; end: number } {
  const line = lines[at] ?? "";
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) return readFence(lines, at, fence);
  const [, marks, title] = HEADING.exec(line) ?? [];
  if (marks !== undefined) {
    return { block: { kind: "heading", level: marks.length, children: parseInline(title ?? "") }, end: at + 1 };
  }
  if (RULE.test(line)) return { block: { kind: "rule" }, end: at + 1 };
  if (depth < DEPTH_MAX && /^ {0,3}>/.test(line)) {
    const end = endOf(lines, at, (each) => /^ {0,3}>/.test(each));
    const inner = lines.slice(at, end).map((each) => each.replace(/^ {0,3}> ?/, ""));
    return { block: { kind: "quote", children: parseBlocks(inner, depth + 1) }, end };
  }
  if (depth < DEPTH_MAX && ITEM.test(line)) return readList(lines, at, depth);
  if (line.includes("|") && TABLE_RULE.test(lines[at + 1] ?? "")) {
    const end = endOf(lines, at, (each) => each.includes("|"));
    const rows = lines.slice(at, end).filter((_, index) => index !== 1);
    return { block: { kind: "table", rows: rows.map(readRow) }, end };
  }
  const end = endOf(lines, at + 1, (each) => !beginsBlock(each)) || at + 1;
  return { block: { kind: "paragraph", children: parseInline(lines.slice(at, end).join("\n").trim()) }, end };
}

const beginsBlock = (line: string) =>
  line.trim() === "" ||
  FENCE.test(line) ||
  HEADING.test(line) ||
  RULE.test(line) ||
  ITEM.test(line) ||
  /^ {0,3}>/.test(line);

function endOf(lines: readonly string[], at: number, goesOn: (line: string) => boolean): number {
  let end = at;
  while (end < lines.length && goesOn(lines[end] ?? "")) end++;
  return end;
}

/** A fence that is still open, as in a stream, goes to the end. */
function readFence(lines: readonly string[], at: number, fence: string): { block: Block; end: number } {
  const close = endOf(lines, at + 1, (line) => !line.trim().startsWith(fence));
  return { block: { kind: "code", text: lines.slice(at + 1, close).join("\n") }, end: close + 1 };
}

function readList(lines: readonly string[], at: number, depth: number): { block: Block; end: number } {
  const first = ITEM.exec(lines[at] ?? "");
  const isOrdered = first?.[3] !== undefined;
  const indent = first?.[1]?.length ?? 0;
  const items: string[][] = [];
  let end = at;
  for (; end < lines.length; end++) {
    const line = lines[end] ?? "";
    const item = ITEM.exec(line);
    const isNext = item !== null && (item[3] !== undefined) === isOrdered && (item[1]?.length ?? 0) < indent + 2;
    if (isNext) items.push([item?.[4] ?? ""]);
    else if (/^ {2,}\S/.test(line)) items.at(-1)?.push(line.replace(/^ {2,4}/, ""));
    else if (line.trim() === "" && /^( {2,}\S|( {0,3})([-*+]|\d{1,9}[.)]) )/.test(lines[end + 1] ?? ""))
      items.at(-1)?.push("");
    else break;
  }
  const start = isOrdered ? Number(first?.[3]) : null;
  return { block: { kind: "list", start, items: items.map((item) => parseBlocks(item, depth + 1)) }, end };
}

const readRow = (line: string) =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => parseInline(cell.trim()));

const MARKS = { "**": "strong", __: "strong", "~~": "del", "*": "em", _: "em" } as const;

/** The marks, code and links of a line. */
export function parseInline(text: string, depth = 0): readonly Inline[] {
  const found: Inline[] = [];
  let plain = "";
  const add = (node: Inline) => {
    if (plain !== "") found.push({ kind: "text", text: plain });
    plain = "";
    found.push(node);
  };
  let at = 0;
  while (at < text.length) {
    const span = depth < DEPTH_MAX ? readSpan(text, at, depth) : null;
    if (span === null) {
      const isEscape = text[at] === "\\" && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? "");
      plain += text[at + (isEscape ? 1 : 0)] ?? "";
      at += isEscape ? 2 : 1;
    } else {
      add(span.node);
      at = span.end;
    }
  }
  if (plain !== "") found.push({ kind: "text", text: plain });
  return found;
}

/** Code, a mark or a link that begins here. */
function readSpan(text: string, at: number, depth: number): { node: Inline; end: number } | null {
  const char = text[at] ?? "";
  if (!"`*_~[!h".includes(char)) return null;
  const ahead = text.slice(at, at + SPAN_MAX);
  if (char === "`") return readCode(ahead, at);
  if (char === "[" || char === "!") return readLink(ahead, at, depth);
  // Not within a word.
  if (/\w/.test(text[at - 1] ?? "") && char !== "*") return null;
  if (char === "h") {
    const [href] = /^https?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]]/.exec(ahead) ?? [];
    return href === undefined ? null : { node: linkTo(href, [{ kind: "text", text: href }]), end: at + href.length };
  }
  const mark = (Object.keys(MARKS) as (keyof typeof MARKS)[]).find((each) => ahead.startsWith(each));
  if (mark === undefined) return null;
  const close = ahead.indexOf(mark, mark.length + 1);
  const inner = ahead.slice(mark.length, close);
  if (close < 0 || inner.trim() !== inner || (mark.startsWith("_") && /\w/.test(ahead[close + mark.length] ?? ""))) {
    return null;
  }
  return { node: { kind: MARKS[mark], children: parseInline(inner, depth + 1) }, end: at + close + mark.length };
}

function readCode(ahead: string, at: number): { node: Inline; end: number } | null {
  const [ticks = ""] = /^`+/.exec(ahead) ?? [];
  const close = ahead.indexOf(ticks, ticks.length);
  if (close < 0) return null;
  return { node: { kind: "code", text: ahead.slice(ticks.length, close).trim() }, end: at + close + ticks.length };
}

/** `[text](address)`, or an image: it is a link to its address, so that nothing is fetched. */
function readLink(ahead: string, at: number, depth: number): { node: Inline; end: number } | null {
  const [whole, bang, label = "", href = ""] =
    /^(!?)\[([^[\]]{0,500})\]\(([^()\s]{1,1000})(?: +"[^"]{0,200}")?\)/.exec(ahead) ?? [];
  if (whole === undefined) return null;
  const name = label === "" ? href : label;
  const children = bang === "!" ? [{ kind: "text", text: `image: ${name}` } as const] : parseInline(name, depth + 1);
  return { node: linkTo(href, children), end: at + whole.length };
}

/** A link to the web or to mail; to anything else it is its text. */
function linkTo(href: string, children: readonly Inline[]): Inline {
  const protocol = URL.parse(href)?.protocol ?? "";
  if (["http:", "https:", "mailto:"].includes(protocol)) return { kind: "link", href, children };
  return { kind: "em", children };
}
