// How often a running response asks for money: one extension at a time, and none again after one ahead of need has
// failed. docs/decisions/money.md
import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../../../src/ports/store/store.ts";
import { PRICED_MODELS, Purse } from "../../support/money.ts";
import { FINISHED } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";

let ahead = 0;
let needed = 0;
let atOnce = 0;
let atOnceMax = 0;
const service = await serviceForFile({
  models: PRICED_MODELS,
  wrapStore: (store) => ({
    ...store,
    extendHold(query) {
      if (query.neededNano > 0n) {
        needed++;
        atOnceMax = Math.max(atOnceMax, ++atOnce);
        return store.extendHold(query).finally(() => atOnce--);
      }
      ahead++;
      return Promise.reject(new StoreError("failed", "the disk"));
    },
  }),
});

/** Parts of a hundred characters, with a turn of the event loop after each. */
function* parts(count: number) {
  for (let part = 0; part < count; part++) {
    yield [{ type: "text" as const, text: "x".repeat(100) }];
    yield new Promise((resolve) => setImmediate(resolve));
  }
  yield FINISHED;
}

test("once an extension ahead has failed, the hold is extended when something is needed", async () => {
  const purse = await Purse.open(service, 1000);
  // A thousand tokens are held at first: 4,000 characters.
  service.provider.plays(() => parts(39));
  assert.equal((await purse.create({ input: "Hi" })).json.status, "completed");
  assert.deepEqual([ahead, needed], [1, 0]);
  service.provider.plays(() => parts(60));
  const { json } = await purse.create({ input: "Hi" });
  assert.deepEqual([json.status, json.output[0].content[0].text.length], ["completed", 6000]);
  assert.ok(needed > 0);
});

test("parts that arrive together are paid for by one extension at a time", async () => {
  const purse = await Purse.open(service, 5000);
  const text = "x".repeat(5000);
  service.provider.plays([[1, 2, 3, 4].map(() => ({ type: "text" as const, text })), FINISHED]);
  const { json } = await purse.create({ input: "Hi" });
  assert.deepEqual([json.status, json.output[0].content[0].text.length], ["completed", 20_000]);
  assert.equal(atOnceMax, 1);
});
