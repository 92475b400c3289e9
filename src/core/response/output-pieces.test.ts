// The bound on the pieces of an output.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { UrlCitation } from "../../contract/items.ts";
import { countingMint } from "../../../test/support/responses.ts";
import { createOutputBuilder, TooManyPieces, PIECES_MAX } from "./output-builder.ts";
import type { OutputPart } from "./output-part.ts";
import { text, refusal, started, finished } from "../../../test/support/output-events.ts";

test("an output of too many pieces is stopped; the output before it stays", () => {
  const builder = createOutputBuilder(countingMint(), Infinity, () => {});
  for (let index = 0; index < PIECES_MAX; index++) {
    builder.accept(started(index));
    builder.accept(finished(index));
  }
  assert.throws(() => builder.accept(started(PIECES_MAX)), TooManyPieces);
  assert.equal(builder.close("incomplete").length, PIECES_MAX);
});

test("texts of reasoning, parts of a message and annotations are pieces too", () => {
  const many = (count: number, part: (index: number) => OutputPart) => {
    const builder = createOutputBuilder(countingMint(), Infinity, () => {});
    for (let index = 0; index < count; index++) builder.accept(part(index));
  };
  const cited: UrlCitation = { type: "url_citation", url: "u", title: "t", start_index: 0, end_index: 1 };
  const summary = Array.from({ length: PIECES_MAX }, () => "a");
  assert.throws(() => many(1, () => ({ type: "reasoning", summary, encryptedContent: null })), TooManyPieces);
  assert.throws(() => many(PIECES_MAX, () => ({ type: "annotation", annotation: cited })), TooManyPieces);
  assert.throws(() => many(PIECES_MAX, (index) => (index % 2 === 0 ? text("a") : refusal("b"))), TooManyPieces);
});
