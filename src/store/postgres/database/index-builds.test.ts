// Which migrations are of indexes alone, and the statements that run in their place.
import assert from "node:assert/strict";
import { test } from "node:test";
import { concurrentIndexes } from "./index-builds.ts";

test("an index is dropped, also what an interrupted build left of it, and built without a lock on its table", () => {
  const sql = `-- compatible: yes. An index.
-- For one; and for another.
drop index a_by_b;
create index a_by_b on a (b, substr(c, 1, 500)) where c is not null;
create unique index a_by_d
    on a (d)
 where d is not null;
`;
  assert.deepEqual(concurrentIndexes(sql, "turngate"), [
    `drop index concurrently if exists "turngate".a_by_b`,
    `drop index concurrently if exists "turngate".a_by_b`,
    `create index concurrently a_by_b on "turngate".a (b, substr(c, 1, 500)) where c is not null`,
    `drop index concurrently if exists "turngate".a_by_d`,
    `create unique index concurrently a_by_d on "turngate".a (d)\n where d is not null`,
  ]);
});

test("a migration with any other statement runs in its transaction", () => {
  for (const sql of [
    "create table a (b text);\ncreate index a_by_b on a (b);\n",
    "create index a_by_b on a (b);\nupdate a set b = 'x;y';\n",
    "create index a_by_b on a (b) where b <> 'x;y';\nalter table a add column c text;",
  ])
    assert.equal(concurrentIndexes(sql, "turngate"), null, sql);
});
