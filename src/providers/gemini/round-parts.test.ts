import assert from "node:assert/strict";
import { test } from "node:test";
import { RoundParts } from "./round-parts.ts";

function gather(...parts: readonly Record<string, unknown>[]) {
  const gathered = new RoundParts({ countPiece() {}, countState() {} });
  for (const part of parts) gathered.add(part);
  return gathered.all();
}

test("neighbouring texts of one kind are one part", () => {
  const thought = (text: string) => ({ text, thought: true });
  const call = { functionCall: { name: "f", args: {} }, thoughtSignature: "s" };
  assert.deepEqual(gather(thought("H"), thought("m."), { text: "Hel" }, { text: "lo" }, call, { text: "!" }), [
    thought("Hm."),
    { text: "Hello" },
    call,
    { text: "!" },
  ]);
});

test("a part with more than text is unchanged", () => {
  const signed = { text: "b", thoughtSignature: "s" };
  const empty = { text: "", thoughtSignature: "s" };
  const other = { text: "c", videoMetadata: {} };
  const parts = [{ text: "a" }, signed, { text: "x" }, other, empty, { text: "d" }];
  assert.deepEqual(gather(...parts), parts);
});
