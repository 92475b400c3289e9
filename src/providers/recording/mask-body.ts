// Replaces the content of the body of a response, byte for byte, so that its chunks keep their boundaries: an event stream,
// one JSON document, or any other text.
import type { RecordedFields } from "./fields.ts";
import { readLoosely, writeLoosely } from "./loose-utf8.ts";
import { createJsonMask, draftOf, textOf } from "./mask-json.ts";
import type { Mask } from "./mask.ts";

const DATA = /^data: ?/;
const OTHER_FIELD = /^(?:event|id|retry):/;
const DOCUMENT = /^[\uFEFF\s]*[[{]/;
const MARK = /^\s*(?:\[?DONE\]?|null)\s*$/i;
const WIRE_LINE = /^[\w.:/@+=~$# -]{0,200}\s*$/;

/** A line of a stream: what stays, and what may be content. Both have its line break. */
interface Line {
  readonly prefix: string;
  readonly rest: string;
}

/** The body with its content replaced, in as many bytes. */
export function maskBody(body: Uint8Array, fields: RecordedFields, mask: Mask): Buffer {
  const text = readLoosely(body);
  const json = createJsonMask(mask, fields);
  /** The result, in order; the deltas of a stream are replaced when all have been seen. */
  const results: (() => string)[] = [];

  function addText(lines: readonly Line[]): void {
    const whole = lines.map(({ rest }) => rest).join("");
    const start = whole.search(/[[{]/);
    if (start === -1 || MARK.test(whole) || !(DOCUMENT.test(whole) || ERROR_FIELD.test(whole))) {
      results.push(() =>
        lines.map(({ prefix, rest }) => prefix + (MARK.test(rest) ? rest : mask.message(rest))).join(""),
      );
      return;
    }
    const draft = draftOf(whole.slice(start));
    json.add(draft);
    results.push(() => {
      const made = whole.slice(0, start) + textOf(draft);
      let at = 0;
      return lines.map(({ prefix, rest }) => prefix + made.slice(at, (at += rest.length))).join("");
    });
  }

  if (DOCUMENT.test(text)) addText([{ prefix: "", rest: text }]);
  else for (const lines of groupLines(text)) addText(lines);
  json.done();
  return writeLoosely(results.map((result) => result()).join(""));
}

/** llama.cpp sends errors as a field of the stream. */
const ERROR_FIELD = /^error: ?/;

/** The lines of a stream, those together that may make one document: data, or lines that belong to no field. */
function groupLines(text: string): readonly (readonly Line[])[] {
  const groups: Line[][] = [];
  let kind: "data" | "other" | null = null;
  for (const line of text.split(/(?<=\r\n|\n|\r(?!\n))/)) {
    const isWire = OTHER_FIELD.test(line) ? WIRE_LINE.test(line) : line.trim() === "";
    const prefix = isWire ? line : (DATA.exec(line)?.[0] ?? "");
    const next = isWire || line.startsWith(":") ? null : prefix === "" ? "other" : "data";
    const one = { prefix, rest: line.slice(prefix.length) };
    if (next !== null && next === kind) groups.at(-1)?.push(one);
    else groups.push([one]);
    kind = next;
  }
  return groups;
}
