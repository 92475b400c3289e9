import assert from "node:assert/strict";
import { test } from "node:test";
import { createUsage } from "../../contract/usage.ts";
import { latestOf } from "../../../test/support/plans.ts";
import { modelOf } from "../../../test/support/responses.ts";
import { fitsTokens, SHORTENINGS_MAX, tokensAfter, tokensAfterRejection } from "./prompt-tokens.ts";

const frame = (sentSize: number) => ({ model: modelOf({ contextWindow: 11_000 }), maxOutputTokens: 1_000, sentSize });

/** A round whose prompt of so many characters had that many tokens. */
const reported = (characters: number | null, tokens: number, instructions: string | null = null) =>
  latestOf({ instructions }, { promptCharacters: characters, usage: createUsage({ input: tokens, output: 5 }) });

const fits = (latest: Parameters<typeof tokensAfter>[0], sentSize: number, history: number) =>
  fitsTokens(tokensAfter(latest, frame(sentSize)) ?? assert.fail(), history);

test("without a report there is no better count", () => {
  assert.equal(tokensAfter(null, frame(0)), null);
  assert.equal(tokensAfter(reported(null, 100), frame(0)), null);
  assert.equal(tokensAfter(reported(100, 0), frame(0)), null);
});

test("a round's report counts its prompt; what has come since is estimated", () => {
  // 8,000 tokens for 8,000 characters: four times as dense as the estimate.
  assert.equal(fits(reported(8_000, 8_000), 8_000, 8_000), true);
  assert.equal(fits(reported(8_000, 8_000), 8_001, 8_000), false);
  // The output of that round is history: it is taken to be as dense.
  assert.equal(fits(reported(8_000, 8_000), 4_000, 9_000), true);
  assert.equal(fits(reported(8_000, 8_000), 4_000, 9_001), false);
});

test("dropping characters of the history saves the tokens that they had", () => {
  assert.equal(fits(reported(8_000, 10_000), 4_000, 8_000), false);
  assert.equal(fits(reported(8_000, 10_000), 4_000, 7_200), true);
});

test("a text less dense than the estimate is counted like the estimate", () => {
  assert.equal(fits(reported(40_000, 5_000), 0, 60_000), true);
  assert.equal(fits(reported(40_000, 5_000), 0, 60_001), false);
});

test("tokens that a provider adds to every prompt are no density", () => {
  // 5,000 tokens for ten characters: a long input fits beside them.
  assert.equal(fits(reported(10, 5_000), 19_000, 10), true);
});

test("instructions are counted once", () => {
  const instructions = "i".repeat(4_000);
  assert.equal(fits(reported(8_000, 9_000, instructions), 4_000 + 4_000, 4_000), true);
  assert.equal(fits(reported(8_000, 9_000, instructions), 4_000 + 4_001, 4_000), false);
});

test("after a rejection the prompt becomes shorter each time, and in the end has nothing but its turn", () => {
  let characters = 12_000;
  for (let rejections = 1; rejections <= SHORTENINGS_MAX; rejections++) {
    const tokens = tokensAfterRejection(frame(1_000), { characters, tools: [], rejections });
    let history = characters - 1_000;
    while (history > 0 && !fitsTokens(tokens, history)) history -= 100;
    assert.ok(history < characters - 1_000, String(rejections));
    characters = 1_000 + history;
  }
  assert.equal(characters, 1_000);
});
