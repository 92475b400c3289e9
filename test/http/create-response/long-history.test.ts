// POST /v1/responses on a history of more items than one turn sends. @spec endpoints/truncation-behavior; docs/wire.md
// (Context fit). docs/reliability.md, A-3
import assert from "node:assert/strict";
import { test } from "node:test";
import { HISTORY_ITEMS_MAX } from "../../../src/core/response/window.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { serviceForFile } from "../../support/service.ts";
import { runSql } from "../../support/tables.ts";

const service = await serviceForFile();

/** A conversation of so many messages of the model, none of which has a text. */
async function conversationOf(count: number): Promise<string> {
  const items = [{ role: "assistant", content: "" }];
  const { json } = await service.request("POST", "/v1/conversations", { body: { items } });
  const given = { count, id: json.id };
  await runSql(
    service,
    `with recursive n(value) as (select 2 union all select value + 1 from n where value < :count)
     insert into items (public_id, thread_id, position, kind, opens_turn, carried, size, size_total, turns_total, body)
     select i.public_id || n.value, i.thread_id, n.value, i.kind, 1, 0, 0, 0, n.value,
            replace(i.body, i.public_id, i.public_id || n.value)
       from items i
       join threads t on t.id = i.thread_id
       join n on true
      where t.public_id = :id`,
    given,
  );
  await runSql(service, "update threads set head_position = :count, turns_total = :count where public_id = :id", given);
  return json.id;
}

test("more items than one response sends do not fit, however short they are", async () => {
  const fits = await conversationOf(HISTORY_ITEMS_MAX);
  assert.equal((await service.create({ conversation: fits, input: "Hi" })).status, 200);
  const conversation = await conversationOf(HISTORY_ITEMS_MAX + 1);
  const rejected = await service.create({ conversation, input: "Hi" });
  assertApiError(rejected, { status: 400, code: "context_length_exceeded", message: /20,000 items.*truncation/ });
  const { status, json } = await service.create({ conversation, input: "Hi", truncation: "auto" });
  assert.equal(status, 200);
  assert.match(json["svc:warnings"][0].message, /^1 turn was dropped/);
});
