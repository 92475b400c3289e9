// What a stored response takes on the disk, which docs/scale.md counts with. Prints the figures.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { test } from "node:test";
import type { Store } from "../../src/ports/store/store.ts";
import { addCallers, answers, beginOf, endOf, headOf, says, settleOf, usage } from "./fixtures.ts";
import { createDatabases } from "./postgres-databases.ts";
import { startServer } from "./postgres-server.ts";
import { walBytes } from "./raw-database.ts";
import { openFor } from "./sqlite-files.ts";

const TURNS = 640;
const AT_ONCE = 64;
const INPUT_CHARACTERS = 3300;
/** Most bytes of a response with an input of 3.3 KB: its rows with their indexes, and the log that is written first. */
const STORED_MAX = 8000;
const LOGGED_MAX = { sqlite: 30_000, postgres: 12_000 };

/** A server of its own: the WAL belongs to the server, and other test files write at the same time. */
const databases = createDatabases(startServer);

const WORDS =
  "the quick brown fox jumps over lazy dogs while a band plays songs about rivers and the people in the night".split(
    " ",
  );
/** A text of many different words: compression finds little in it. */
function textOf(turn: number): string {
  let text = "";
  for (let word = 0; text.length < INPUT_CHARACTERS; word++) {
    text += `${WORDS[(turn * 31 + word * word) % WORDS.length]}${(turn * 7919 + word * 104_729) % 997} `;
  }
  return text.slice(0, INPUT_CHARACTERS);
}

async function runResponses(store: Store): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += AT_ONCE) {
    const heads = Array.from({ length: AT_ONCE }, () => headOf());
    // oxlint-disable no-await-in-loop -- so many at a time
    await Promise.all(heads.map((head) => store.beginResponse(beginOf(head))));
    const end = endOf([answers("lorem ipsum dolor sit amet")], { usage: usage(800, 20) });
    await Promise.all(heads.map(({ id }, at) => store.settleResponse(settleOf(id, [says(textOf(turn + at))], end))));
    // oxlint-enable no-await-in-loop
  }
}

test("a response takes no more on the embedded store", async (t) => {
  const { store, path } = await openFor(t);
  await addCallers(store);
  const before = statSync(path).size;
  const logged = walBytes(path);
  await runResponses(store);
  const log = (walBytes(path) - logged) / TURNS;
  await store.close();
  const stored = (statSync(path).size - before) / TURNS;
  t.diagnostic(`a turn: ${Math.round(stored)} bytes, ${Math.round(log)} bytes of WAL at least`);
  assert.ok(stored < STORED_MAX && log < LOGGED_MAX.sqlite, `${stored} and ${log} bytes`);
});

test("nor on PostgreSQL", async (t) => {
  const { store, database } = await databases.openFor(t);
  const server = await databases.server();
  await addCallers(store);
  const read = async () => {
    const [row] = await server.query<{ stored: string; log: string }>(
      database,
      `select sum(pg_total_relation_size(c.oid))                        as stored,
              pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')       as log
         from pg_class c
         join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'turngate' and c.relkind = 'r'`,
    );
    return { stored: Number(row?.stored), log: Number(row?.log) };
  };
  const before = await read();
  await runResponses(store);
  const after = await read();
  const stored = (after.stored - before.stored) / TURNS;
  const log = (after.log - before.log) / TURNS;
  t.diagnostic(`a turn: ${Math.round(stored)} bytes, ${Math.round(log)} bytes of WAL`);
  assert.ok(stored < STORED_MAX && log < LOGGED_MAX.postgres, `${stored} and ${log} bytes`);
});
