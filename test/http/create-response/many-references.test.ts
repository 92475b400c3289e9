// POST /v1/responses with more item references than one read of the store looks up. @spec endpoints/post-responses;
// docs/wire.md (Item references); docs/reliability.md, A-3
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { assertApiError } from "../../support/assert-api-error.ts";
import type { Loose } from "../../support/http-client.ts";
import { serviceForFile } from "../../support/service.ts";

let reads: number[] = [];
const service = await serviceForFile({
  wrapStore: (store) => ({
    ...store,
    findItemsInView: (query) => {
      reads.push(query.itemIds.length);
      return store.findItemsInView(query);
    },
  }),
});
beforeEach(() => {
  reads = [];
});

const message = (text: string) => ({ type: "message", role: "user", content: text });
const reference = (id: string) => ({ type: "item_reference", id });

/** A conversation with a response and eighty added items. */
async function filled(): Promise<{ readonly conversation: string; readonly itemIds: readonly string[] }> {
  const { json } = await service.request("POST", "/v1/conversations");
  await service.create({ conversation: json.id, input: "Hi" });
  const itemIds: string[] = [];
  for (let call = 0; call < 4; call++) {
    const items = Array.from({ length: 20 }, (_, at) => message(String(at)));
    const added = await service.request("POST", `/v1/conversations/${json.id}/items`, { body: { items } });
    itemIds.push(...added.json.data.map(({ id }: Loose) => id));
  }
  return { conversation: json.id, itemIds };
}

test("references are looked up in pieces, each item once", async () => {
  const { conversation, itemIds } = await filled();
  const references = [...itemIds, ...itemIds].map(reference);
  const { status } = await service.create({ conversation, input: [...references, message("now")] });
  assert.equal(status, 200);
  assert.deepEqual(reads, [32, 32, 16]);
});

test("the first unknown one is rejected without looking up the rest", async () => {
  const { conversation, itemIds } = await filled();
  const unknown = Array.from({ length: 1_000 }, (_, at) => `msg_${at}`);
  const references = [...itemIds, ...unknown].map(reference);
  const rejected = await service.create({ conversation, input: [...references, message("now")] });
  assertApiError(rejected, { status: 400, code: "invalid_input", param: "input", message: /input\[80\].*msg_0/ });
  assert.deepEqual(reads, [32, 32, 32]);
});
