// The most pieces of one output. docs/decisions/outputs.md
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResponseEvent } from "../../contract/events.ts";
import { createOutputBuilder, PIECES_MAX, TooManyPieces } from "./output-builder.ts";

test("an output of too many parts ends with the parts before, each once", () => {
  const events: ResponseEvent[] = [];
  let minted = 0;
  const builder = createOutputBuilder(
    (kind) => `${kind}_${++minted}` as never,
    Infinity,
    (event) => events.push(event),
  );
  const accept = (index: number) => builder.accept({ type: index % 2 === 0 ? "text" : "refusal", text: `${index}` });
  // The message is a piece too.
  for (let index = 0; index < PIECES_MAX - 1; index++) accept(index);
  assert.throws(() => accept(PIECES_MAX - 1), TooManyPieces);
  const [message, ...others] = builder.close("incomplete");
  assert.equal(others.length, 0);
  assert.ok(message?.type === "message");
  assert.equal(message.status, "incomplete");
  assert.equal(message.content.length, PIECES_MAX - 1);
  const count = (type: ResponseEvent["type"]) => events.filter((event) => event.type === type).length;
  assert.deepEqual(
    [count("response.content_part.added"), count("response.content_part.done"), count("response.output_item.done")],
    [PIECES_MAX - 1, PIECES_MAX - 1, 1],
  );
});
