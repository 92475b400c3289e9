import assert from "node:assert/strict";
import { test } from "node:test";
import { HOUR_MS } from "../../base/time.ts";
import { MODELS_COUNTED_MAX } from "../../contract/manage/failure-counts.ts";
import { createFailureCounts } from "./failure-counts.ts";

const series = (model: string | null, organizationId = "org_a") =>
  ({ organizationId, kind: "rejected", code: "invalid_input", model, provider: null }) as const;

test("beyond 100 pairs of code and model an hour, an organization's rejections are counted by code alone", () => {
  const counts = createFailureCounts();
  for (let index = 0; index < 3 * MODELS_COUNTED_MAX; index++) counts.add(series(`acme/${index}`), 0);
  counts.add(series("acme/0"), 0);
  counts.add(series("acme/0", "org_b"), 0);
  const taken = counts.take();
  assert.equal(taken.length, MODELS_COUNTED_MAX + 2);
  assert.equal(
    taken.reduce((sum, { failures }) => sum + failures, 0),
    3 * MODELS_COUNTED_MAX + 2,
  );
  assert.equal(taken.find(({ model }) => model === null)?.failures, 2 * MODELS_COUNTED_MAX);
  assert.deepEqual(taken[0], { ...series("acme/0"), failures: 2 });
  assert.deepEqual(taken.at(-1), { ...series("acme/0", "org_b"), failures: 1 });
  assert.deepEqual(counts.take(), []);

  counts.add(series("acme/200"), HOUR_MS - 1);
  counts.add(series("acme/200"), HOUR_MS);
  assert.deepEqual(
    counts.take().map(({ model, failures }) => [model, failures]),
    [
      [null, 1],
      ["acme/200", 1],
    ],
  );
});
