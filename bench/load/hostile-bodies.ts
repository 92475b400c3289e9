/** Create bodies of the largest size, in every shape known to be slow to read, plan, store, send or echo. */

/** Largest body. */
export const LARGEST_BYTES = 32 * 1024 * 1024;

/** Repeats a piece between head and tail up to the largest size or a count. */
function filled(head: string, piece: (index: number) => string, tail: string, countMax = Infinity): string {
  const parts: string[] = [];
  let left = LARGEST_BYTES - head.length - tail.length;
  for (let index = 0; index < countMax; index++) {
    const part = piece(index);
    left -= Buffer.byteLength(part) + 1;
    if (left < 0) break;
    parts.push(part);
  }
  return head + parts.join(",") + tail;
}

/** A string of one repeated character between head and tail. */
function long(head: string, character: string, tail: string): string {
  const room = LARGEST_BYTES - head.length - tail.length;
  return head + character.repeat(Math.floor(room / Buffer.byteLength(character))) + tail;
}

/** Nested arrays or objects. */
function nested(head: string, opening: string, closing: string, tail: string, countMax = Infinity): string {
  const room = LARGEST_BYTES - head.length - tail.length - 1;
  const levels = Math.min(countMax, Math.floor(room / (opening.length + closing.length)));
  return `${head}${opening.repeat(levels)}1${closing.repeat(levels)}${tail}`;
}

/** The number of pieces with so many values each that a body may have, with a margin for the rest. */
const most = (values: number): number => Math.floor(99_900 / values);

/** All shapes for a model. Bodies are built on demand: together they take a gigabyte. */
export function hostileShapes(model: string): readonly { readonly shape: string; make(): Buffer }[] {
  const start = `{"model":"${model}"`;
  const hi = `${start},"input":"Hi"`;
  const tool = `${hi},"tools":[{"type":"function","name":"t","parameters":{"type":"object","properties":{`;
  const user = '{"role":"user","content":"x"}';
  const shapes: Readonly<Record<string, () => string>> = {
    "unread: empty objects": () => filled(`${hi},"z":[`, () => "{}", "]}", most(1)),
    "unread: numbers": () => filled(`${hi},"z":[`, () => "1.0", "]}", most(1)),
    "unread: top-level keys": () => filled(`${hi},`, (index) => `"k${index}":1`, "}", most(1)),
    "unread: long keys of escapes": () =>
      filled(`${hi},"z":{`, (index) => `"${"\\n".repeat(160)}${index}":1`, "}}", most(1)),
    "unread: objects of one key": () => filled(`${hi},"z":[`, (n) => `{"${"k".repeat(600)}${n}":1}`, "]}", most(2)),
    "unread: keys of an item": () =>
      filled(`${start},"input":[{"role":"user","content":"x",`, (n) => `"k${n}":1`, "}]}", most(1)),
    "unread: nested lists": () => nested(`${hi},"z":`, "[", "]", "}", most(1)),
    "unread: nested objects": () => nested(`${hi},"z":`, '{"a":', "}", "}", most(1)),
    "rejected: empty objects": () => filled(`${hi},"z":[`, () => "{}", "]}"),
    "rejected: keys": () => filled(`${hi},`, (index) => `"k${index}":1`, "}"),
    "rejected: nested objects": () => nested(`${hi},"z":`, '{"a":', "}", "}"),
    "unread: one text": () => long(`${hi},"z":"`, "a", '"}'),
    "unread: one key": () => long(`${hi},"`, "k", '":1}'),
    "unread: white space": () => long(hi, " ", "}"),
    "rejected: items": () => filled(`${start},"input":[`, () => user, "]}"),
    "rejected: parts": () =>
      filled(`${start},"input":[{"role":"user","content":[`, () => '{"type":"text","text":""}', "]}]}"),
    "rejected: tools": () => filled(`${hi},"tools":[`, (index) => `{"type":"function","name":"t${index}"}`, "]}"),
    "rejected: properties": () => filled(tool, (index) => `"k${index}":{}`, "}}}]}"),
    "rejected: labels": () => filled(`${hi},"metadata":{`, (index) => `"k${index}":"v"`, "}}"),
    "rejected: duplicates": () => filled(`${start},`, () => `"input":[${user}]`, "}"),
    "rejected: nested lists that are read": () =>
      nested(`${hi},"tools":[{"type":"function","name":"t","parameters":{"a":`, "[", "]", "}}]}"),
    "rejected: one number": () => long(`${hi},"max_output_tokens":1`, "1", "}"),
    "rejected: a text for every window": () => long(`${start},"input":"`, "a", '"}'),
    "rejected: a text of escapes": () => long(`${start},"input":"`, "\\n", '"}'),
    "rejected: a text of code points": () => long(`${start},"input":"`, "漢", '"}'),
    "rejected: a broken end": () => filled(`${hi},"z":[`, () => "{}", "]"),
    "rejected: items that can't be read, with an output": () =>
      filled(
        `{"previous_response_id":"resp_x","input":[{"type":"function_call_output","call_id":"c","output":"x"},`,
        () => "{}",
        "]}",
        most(1),
      ),
    "served: items": () => filled(`${start},"input":[`, () => user, "]}", most(3)),
    "served: items with long ids": () =>
      filled(`${start},"input":[`, () => `{"id":"${"i".repeat(900)}","role":"user","content":"x"}`, "]}", most(4)),
    "served: parts": () =>
      filled(`${start},"input":[{"role":"user","content":[`, () => '{"type":"text","text":"x"}', "]}]}", most(3)),
    "served: carried calls": () =>
      filled(
        `${start},"input":[${user},`,
        (n) =>
          `{"type":"function_call","call_id":"c${n}","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c${n}","output":"x"}`,
        "]}",
        most(9),
      ),
    "served: reasoning": () =>
      filled(
        `${start},"input":[${user},`,
        () => `{"type":"reasoning","summary":[],"encrypted_content":"${"e".repeat(1200)}"}`,
        "]}",
        most(4),
      ),
    "served: one encrypted text": () =>
      long(`${start},"input":[${user},{"type":"reasoning","encrypted_content":"`, "e", '"}]}'),
    "served: tools": () =>
      filled(`${hi},"tools":[`, (index) => `{"type":"function","name":"t${index}"}`, "]}", most(3)),
    "served: tools of one name": () => filled(`${hi},"tools":[`, () => '{"type":"function","name":"t"}', "]}", most(3)),
    "served: allowed tools": () =>
      filled(
        `${hi},"tools":[{"type":"function","name":"t"}],"tool_choice":{"type":"allowed_tools","tools":[`,
        () => '{"name":"t"}',
        "]}}",
        most(2),
      ),
    "served: one tool's description": () =>
      long(`${hi},"tools":[{"type":"function","name":"t","description":"`, "d", '"}]}'),
    "served: one description of escapes": () =>
      long(`${hi},"tools":[{"type":"function","name":"t","description":"`, "\\n", '"}]}'),
    "served: one description of code points": () =>
      long(`${hi},"tools":[{"type":"function","name":"t","description":"`, "漢", '"}]}'),
    "served: properties": () => filled(tool, (index) => `"k${index}":{}`, "}}}]}", most(1)),
    "served: properties with descriptions": () =>
      filled(tool, (n) => `"k${n}":{"description":"${"d".repeat(600)}"}`, "}}}]}", most(2)),
    "served: unusual numbers": () => filled(`${tool}"a":{"enum":[`, (index) => `${index}.0`, "]}}}}]}", most(1)),
    "served: a format": () =>
      filled(
        `${hi},"text":{"format":{"type":"json_schema","name":"n","schema":{"type":"object","properties":{`,
        (n) => `"k${n}":{"type":"string"}`,
        "}}}}}",
        most(2),
      ),
    "served: required properties": () => filled(`${tool}},"required":[`, (index) => `"k${index}"`, "]}}]}", most(1)),
  };
  return Object.entries(shapes).map(([shape, make]) => ({ shape, make: () => Buffer.from(make()) }));
}
