// POST /v1/responses in a history of branches within branches. docs/wire.md (Continuation)
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertApiError } from "../../support/assert-api-error.ts";
import { serviceForFile } from "../../support/service.ts";
import { runSql } from "../../support/tables.ts";

const service = await serviceForFile();

/** Two responses, the second after the first, in a thread behind so many others. */
async function responsesBehind(levels: number): Promise<readonly [string, string]> {
  const first = await service.create({ input: "one" });
  const second = await service.create({ input: "two", previous_response_id: first.json.id });
  const { id } = first.json;
  const added = await runSql(
    service,
    `with recursive n(value) as (select 1 union all select value + 1 from n where value < :levels)
     insert into threads (organization_id, key_id, lineage, created_at, used_at_ms)
     select t.organization_id, t.key_id, '[]', n.value, t.used_at_ms
       from threads t
       join responses r on r.thread_id = t.id
       join n on true
      where r.public_id = :id
     returning id`,
    { levels, id },
  );
  await runSql(
    service,
    "update threads set lineage = :lineage where id = (select thread_id from responses where public_id = :id)",
    { lineage: JSON.stringify(added.map((row) => [row["id"], 1])), id },
  );
  return [id, second.json.id];
}

const TOO_DEEP = { status: 400, code: "invalid_input", param: "previous_response_id", message: /1,000 branches/ };

test("a thousand branches within each other may branch once more, and no further", async () => {
  const [early] = await responsesBehind(999);
  assert.equal((await service.create({ input: "a", previous_response_id: early })).status, 200);
  const [tooEarly, latest] = await responsesBehind(1_000);
  assertApiError(await service.create({ input: "a", previous_response_id: tooEarly }), TOO_DEEP);
  assert.equal((await service.create({ input: "a", previous_response_id: latest })).status, 200);
});

test("at their end branches may be continued to twice that depth", async () => {
  const [, latest] = await responsesBehind(1_999);
  assert.equal((await service.create({ input: "a", previous_response_id: latest })).status, 200);
  const [, tooDeep] = await responsesBehind(2_000);
  assertApiError(await service.create({ input: "a", previous_response_id: tooDeep }), TOO_DEEP);
});
