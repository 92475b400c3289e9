import assert from "node:assert/strict";
import test from "node:test";
import { createResponseBody, TooLongError } from "./response-body.ts";
import { EVENT_CHARACTERS_MAX, EVENT_LINES_MAX } from "./bounds.ts";

function read(pieces: readonly string[]): { events: string[]; documents: string[] } {
  const events: string[] = [];
  const documents: string[] = [];
  const body = createResponseBody({
    event: (data, name) => events.push(name === undefined ? data : `${name}:${data}`),
    document: (text) => documents.push(text),
  });
  for (const piece of pieces) body.feed(piece);
  body.end();
  return { events, documents };
}

test("events are read, with comments, names and every kind of line break", () => {
  const { events } = read([": hi\n\ndata: 1\n\n", "event: error\r\ndata: 2\r\n\r\n", "data:3\rdata: 4\r\r"]);
  assert.deepEqual(events, ["1", "error:2", "3\n4"]);
});

test("empty events are ignored", () => {
  assert.deepEqual(read(["data:\n\ndata: \n\nevent: keepalive\ndata:\n\ndata: 1\n\ndata:\ndata:\n\n"]).events, ["1"]);
});

test("a last event without its blank line is read", () => {
  assert.deepEqual(read(["data: 1\n\ndata: [DONE]"]).events, ["1", "[DONE]"]);
});

test("a body that begins like JSON or HTML is one document, wherever it is cut", () => {
  for (const text of ['\ufeff \n{"a":1}', '[{"a":1}]', "<html></html>", '"text"']) {
    assert.deepEqual(read(Array.from(text)), { events: [], documents: [text] });
  }
});

test("a byte order mark before events is ignored", () => {
  assert.deepEqual(read(["\ufeff", "data: 1\n\n"]).events, ["1"]);
});

test("an empty body has neither events nor a document", () => {
  assert.deepEqual(read(["", " \n"]), { events: [], documents: [] });
});

test("a line above its limit is an error, whole, in pieces, and as many lines of one event", () => {
  const line = `data: ${"x".repeat(EVENT_CHARACTERS_MAX + 1)}`;
  const pieces = Array.from({ length: 30 }, (_, index) => line.slice(index * 300_000, (index + 1) * 300_000));
  assert.throws(() => read([`${line}\n\n`]), TooLongError);
  assert.throws(() => read(["data: 1\n\n", ...pieces]), TooLongError);
  assert.throws(() => read(pieces.map((piece) => `data: ${piece}\n`)), TooLongError);
});

test("a line at its limit is read", () => {
  assert.equal(read([`data: ${"x".repeat(EVENT_CHARACTERS_MAX)}\n\n`]).events[0]?.length, EVENT_CHARACTERS_MAX);
});

test("an event of more lines than any server sends is an error: each takes far more memory than its characters", () => {
  const lines = (count: number) => ["data: 1\n\n", ...Array.from({ length: count / 100 }, () => "data:\n".repeat(100))];
  assert.doesNotThrow(() => read(lines(EVENT_LINES_MAX)));
  assert.throws(() => read([...lines(EVENT_LINES_MAX), "data:\n"]), TooLongError);
  // Comments are not kept.
  assert.doesNotThrow(() => read(["data: 1\n\n", ": hi\n\n".repeat(EVENT_LINES_MAX)]));
});

test("what waits for the rest of its line, event or document counts as buffered", () => {
  const body = createResponseBody({ event() {}, document() {} });
  const fed = (text: string) => {
    body.feed(text);
    return body.bufferedBytes();
  };
  assert.equal(fed(": comment that goes on"), 0);
  assert.equal(fed(" and on\n\n"), 0);
  assert.equal(fed("dat"), 3);
  assert.equal(fed(`a: ${"x".repeat(1000)}`), 1006);
  assert.equal(fed("\n"), 1007);
  assert.equal(fed("\n"), 0);
  const document = createResponseBody({ event() {}, document() {} });
  document.feed(`{"a":"${"x".repeat(1000)}`);
  assert.equal(document.bufferedBytes(), 1006);
});

test("a document above its limit is an error", () => {
  assert.throws(() => read(["{", " ".repeat(EVENT_CHARACTERS_MAX)]), TooLongError);
});

test("endless comments and unknown fields take no memory and cause no error", () => {
  const pieces = Array.from({ length: 40 }, () => "x".repeat(50_000));
  assert.deepEqual(read([":", ...pieces, "\n\ndata: 1\n\n"]).events, ["1"]);
});

test("an error outside of events is read in its place, wherever it is cut", () => {
  const error = '{"error":{"code":503}}';
  const printed = '{\r\n  "error": {\r\n    "code": 503\r\n  }\r\n}\r\n';
  const rows: [string, string[]][] = [
    [`data: 1\n\nerror: {"code":503}\n\ndata: [DONE]\n\n`, ["1", error, "[DONE]"]],
    [`error: {"code":503}\n\n`, [error]],
    [`: hi\n\n${error}`, [error]],
    [`data: 1\n${error}\ndata: [DONE]\n\n`, ["1", error, "[DONE]"]],
    [`data: 1\n\n${error}\r\n: hi\n\n`, ["1", error]],
    [`data: 1\r\n\r\n${printed}`, ["1", error]],
    [`data: 1\r\n\r\n${printed}\r\nevent: e\r\ndata: 2\r\n\r\n`, ["1", error, "e:2"]],
  ];
  const compact = (data: string) => (data.startsWith("{") ? JSON.stringify(JSON.parse(data)) : data);
  for (const [text, expected] of rows) {
    for (let cut = 0; cut < text.length; cut++) {
      assert.deepEqual(
        read([text.slice(0, cut), text.slice(cut)]).events.map(compact),
        expected,
        `${text} cut at ${cut}`,
      );
    }
    assert.deepEqual(read(Array.from(text)).events.map(compact), expected);
  }
});

test("lines that are neither a field nor an error are ignored, wherever they are cut", () => {
  const rest = "data: 3\n\n";
  for (const line of [
    "{}",
    '{"a":1}',
    "{",
    "error: oops",
    "er",
    "e",
    "errors: {}",
    "event",
    `{${"x".repeat(70_000)}`,
  ]) {
    const text = `data: 1\ndata: 2\n${line}\n${rest}`;
    const cuts = [1, 8, 15, 16, 17, 18, 19, 60_000, text.length - rest.length, text.length - rest.length + 3];
    for (const cut of cuts) {
      assert.deepEqual(
        read([text.slice(0, cut), text.slice(cut)]).events,
        ["1\n2\n3"],
        `${line.slice(0, 20)} cut at ${cut}`,
      );
    }
  }
});

test("lines that look like an endless error take no memory and cause no error", () => {
  const pieces = Array.from({ length: 40 }, () => "x".repeat(50_000));
  assert.deepEqual(read(["data: 1\n\n{", ...pieces, "\n\ndata: 2\n\n"]).events, ["1", "2"]);
});

test("one read may contain any number of lines that are not fields", () => {
  assert.deepEqual(read([`data: 1\n\n${"{}\n\n".repeat(20_000)}data: 2\n\n`]).events, ["1", "2"]);
});
