import assert from "node:assert/strict";
import test from "node:test";
import type { ProviderPart } from "../../ports/provider.ts";
import { sampleHead, samplePrompt } from "../../../test/support/provider-samples.ts";
import { estimateUsage } from "./estimate.ts";
import { RoundDecoding } from "./round-decoding.ts";

function decode() {
  const parts: ProviderPart[] = [];
  let minted = 0;
  const round = {
    prompt: samplePrompt([{ type: "call", callId: "used", name: null, arguments: "{}" }]),
    ids: { mintCallId: () => `minted_${++minted}` },
    toolNames: { fromWire: (name: string) => name },
    receive: (ready: readonly ProviderPart[]) => void parts.push(...ready),
  };
  return { decoding: new RoundDecoding(round, sampleHead()), parts };
}

test("a call keeps its id, or gets a new one if it has none, or one that is in use or cannot be stored", () => {
  const { decoding } = decode();
  const ids = ["own", "own", "used", null, "a\u0000b", "\ud800"].map((wireId) => decoding.takeCallId(wireId));
  assert.deepEqual(ids, ["own", "minted_1", "minted_2", "minted_3", "minted_4", "minted_5"]);
});

test("an estimate comes with its warning", () => {
  const { decoding, parts } = decode();
  decoding.outputCharacters = 8;
  decoding.reasoningCharacters = 1;
  decoding.finish(null);
  void decoding.reader({ event() {}, document() {} }).flush(0);
  const [usage, warning, end] = parts;
  assert.deepEqual(usage, { type: "usage", usage: estimateUsage({ input: 2, output: 8, reasoning: 1 }) });
  assert.equal(warning?.type === "warning" && warning.code, "usage_estimated");
  assert.equal(end?.type, "finished");
});
