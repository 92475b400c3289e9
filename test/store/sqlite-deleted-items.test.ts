// Reading a page costs the same however many deleted items lie between its items. A client may delete hundreds of
// thousands, and a page is read on the event loop. See docs/reliability.md, A-3
import assert from "node:assert/strict";
import { test } from "node:test";
import { ACME, addCallers, idsOf, makeConversation, says } from "./fixtures.ts";
import { withDatabase } from "./raw-database.ts";
import { openFor } from "./sqlite-files.ts";

const FEW = 1_000;
const MANY = 64 * FEW;

test("a page costs the same behind many deleted items as behind few", async (t) => {
  const { store, path } = await openFor(t);
  await addCallers(store);
  /** A conversation of two items with deleted ones between them. */
  const conversationWith = async (deleted: number): Promise<string> => {
    const items = [says("first"), says("last")];
    const conversationId = await makeConversation(store, items);
    const [first, last] = idsOf(items);
    withDatabase(path, (database) => {
      database.exec("begin immediate");
      database.prepare("update items set position = ? where public_id = ?").run(deleted + 2, last!);
      database
        .prepare(
          `with recursive n(value) as (select 2 union all select value + 1 from n where value <= ${deleted})
           insert into items (public_id, thread_id, position, kind, opens_turn, carried, size, size_total, turns_total, deleted_at_ms)
           select i.public_id || n.value, i.thread_id, n.value, i.kind, 1, 0, 1, n.value, n.value, 1
             from items i join n
            where i.public_id = ?`,
        )
        .run(first!);
      database.prepare("update threads set head_position = ? where public_id = ?").run(deleted + 2, conversationId);
      database.exec("commit");
    });
    return conversationId;
  };
  /** CPU of this thread for many pages, microseconds: SQLite runs in it. */
  const costOf = async (conversationId: string, order: "asc" | "desc"): Promise<number> => {
    const before = process.threadCpuUsage();
    for (let run = 0; run < 200; run++) {
      const page = await store.listItems({ caller: ACME, conversationId, order, after: null, limit: 10 });
      assert.equal(page.kind === "page" ? page.items.length : 0, 2);
    }
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  };
  const [few, many] = [await conversationWith(FEW), await conversationWith(MANY)];
  for (const order of ["asc", "desc"] as const) {
    // The first reads are slow: their code is compiled meanwhile.
    await costOf(few, order);
    const [base, cost] = [await costOf(few, order), await costOf(many, order)];
    assert.ok(cost < 4 * Math.max(base, 5_000), `${order}: ${base} and ${cost} µs`);
  }
});
