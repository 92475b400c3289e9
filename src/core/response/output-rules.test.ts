// Rules that hold for every output.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResponseEvent } from "../../contract/events.ts";
import { countingMint } from "../../../test/support/responses.ts";
import { createOutputBuilder } from "./output-builder.ts";
import {
  accept,
  text,
  refusal,
  started,
  delta,
  finished,
  call,
  citation,
} from "../../../test/support/output-events.ts";

test("the builder has output from its first item on; a dropped call counts too", () => {
  const builder = createOutputBuilder(countingMint(), 0, () => {});
  assert.equal(builder.hasOutput(), false);
  builder.accept(text(""));
  assert.equal(builder.hasOutput(), false);
  builder.accept(started(0));
  assert.equal(builder.hasOutput(), true);
  const silent = createOutputBuilder(countingMint(), Infinity, () => {});
  silent.accept(refusal(""));
  assert.equal(silent.hasOutput(), true);
});

test("an emitted event is never changed by later parts", () => {
  const events: ResponseEvent[] = [];
  const builder = createOutputBuilder(countingMint(), Infinity, (event) => events.push(event));
  builder.accept(text("a"));
  builder.accept({ type: "annotation", annotation: citation });
  const copy = structuredClone(events);
  builder.accept(text("b"));
  builder.accept({ type: "annotation", annotation: citation });
  builder.accept(refusal("c"));
  builder.close("completed");
  assert.deepEqual(events.slice(0, copy.length), copy);
});

test("parts of a call that never started are a decoder's bug", () => {
  assert.throws(() => accept([delta(5, "x")]), /no call of index 5/);
  assert.throws(() => accept([finished(5)]), /no call of index 5/);
  assert.throws(() => accept([...call(0, "{}"), delta(0, "x")]), /no call of index 0/);
});
