import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { WEIGHT_PER_TOKEN, weighText } from "./token-bound.ts";

interface Sample {
  readonly name: string;
  readonly text: string;
  /** What five tokenizers count: docs/decisions/money.md (The bound on tokens) has the command. */
  readonly tokens: readonly number[];
}

const SAMPLES = JSON.parse(
  readFileSync(new URL("../../../test/support/token-samples.json", import.meta.url), "utf8"),
) as readonly Sample[];

for (const { name, text, tokens } of SAMPLES) {
  test(`${name} weighs no less than any tokenizer counts, and less than two and a half times as much`, () => {
    const most = Math.max(...tokens);
    const weight = weighText(text) / WEIGHT_PER_TOKEN;
    assert.ok(weight >= most, `${weight} tokens, and one counts ${most}`);
    assert.ok(weight <= 2.5 * most, `${weight} tokens, and none counts more than ${most}`);
  });
}

test("an empty text weighs nothing, and a rare character as many tokens as it has bytes", () => {
  assert.equal(weighText(""), 0);
  assert.ok(weighText("\u9f98") >= 3 * WEIGHT_PER_TOKEN);
  assert.ok(weighText("\ud83e\udee1") >= 3 * WEIGHT_PER_TOKEN);
});
