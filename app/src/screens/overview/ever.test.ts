import assert from "node:assert/strict";
import { test } from "node:test";
import { LIVE_MS } from "../../api/queries.ts";
import { everQuery } from "./ever.ts";

test("the usage of all time is read again until there is a response", () => {
  const { refetchInterval } = everQuery("org_1");
  const tokens = { input_tokens: 0, cached_tokens: 0, cache_write_tokens: 0, output_tokens: 0, reasoning_tokens: 0 };
  const row = { ...tokens, cached_share: null, credits: 0, saved: 0 };
  const after = (responses: number) =>
    refetchInterval({ state: { data: { from: null, to: null, data: [{ ...row, responses }] } } });
  assert.equal(refetchInterval({ state: {} }), LIVE_MS);
  assert.equal(after(0), LIVE_MS);
  assert.equal(after(1), false);
});
