// The log of turns over many turns: `node bench/turn-log.ts [TURNS] [PATH]` fills an embedded store (a file that is
// there already is measured as it is) and reads pages by every filter. Prints milliseconds, and fails beyond 200 at the
// 95th percentile.
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { TURNS_PAGE_DEFAULT, TURNS_READ_MAX } from "../src/contract/manage/limits.ts";
import { ALL_TURNS } from "../src/manage/turn-filter.ts";
import type { ResponseFilter } from "../src/ports/store/response-log.ts";
import { openSqliteStore } from "../src/store/sqlite/open.ts";
import { createSystemClock } from "../src/system/clock.ts";
import { TESTS } from "../test/support/actor.ts";

const P95_MAX_MS = 200;
const PAGES = 40;
/** Unix seconds; the turns before lie 90 days back at most. */
const NOW = 1_795_000_000;
const DAYS = 90 * 86_400;

const key = (number: number) => `key_${String(number).padStart(32, "0")}`;
const organization = (number: number) => `org_${String(number).padStart(32, "0")}`;
const EVERY: ResponseFilter = { ...ALL_TURNS, organizationId: organization(0), memberId: null };
const FILTERS: readonly (readonly [string, Partial<ResponseFilter>])[] = [
  ["all turns of an organization", {}],
  ["all of a small organization", { organizationId: organization(7) }],
  ["an hour", { from: NOW - 40 * 86_400, to: NOW - 40 * 86_400 + 3600 }],
  ["a busy key", { keyId: key(0) }],
  ["a key with few turns", { keyId: key(99) }],
  ["a member with ten keys", { memberId: "mem_3" }],
  ["a rare model of a member", { memberId: "mem_3", model: "acme/rare" }],
  ["a common model", { model: "acme/model-1" }],
  ["a rare model", { model: "acme/rare" }],
  ["a model that nobody uses", { model: "acme/none" }],
  ["a rare model of a busy key", { keyId: key(0), model: "acme/rare" }],
  ["status failed", { status: "failed" }],
  ["status completed", { status: "completed" }],
  ["status in_progress", { status: "in_progress" }],
  ["a failure code", { failureCode: "provider_rate_limited" }],
  ["a failure code that never occurs", { failureCode: "canceled" }],
  ["failures of a key with few turns", { keyId: key(99), status: "failed" }],
  ["a conversation of 2,000 turns", { conversationId: "conv_long" }],
  ["an end user with a tenth of the turns", { endUser: "user_0" }],
  ["an end user with few turns", { endUser: "user_77" }],
  ["a label with half of the turns", { label: "customer=0" }],
  ["failures of a label", { label: "customer=0", status: "failed" }],
  ["turns without an end user", { endUser: "" }],
  ["turns without a label", { label: "" }],
];

const turns = Number(process.argv[2] ?? 2_000_000);
const path = process.argv[3] ?? join(mkdtempSync(join(tmpdir(), "turn-log-")), "turngate.db");
const clock = createSystemClock();

if (!existsSync(path)) {
  const empty = await openSqliteStore({ location: path, clock });
  for (let number = 0; number <= 50; number++) {
    const made = { id: organization(number), name: `Organization ${number}`, createdAt: 1 };
    await empty.createOrganization({ by: TESTS, ...made, credits: { transactionId: made.id, amountNano: 10n ** 15n } });
  }
  await empty.close();
  fill(path, turns);
}
const store = await openSqliteStore({ location: path, clock });
let isSlow = false;
try {
  for (const [name, filter] of FILTERS) await measure(name, filter);
} finally {
  await store.close();
}
process.exitCode = isSlow ? 1 : 0;

/** Reads pages from the newest one on, and pages from places spread over the whole log. */
async function measure(name: string, more: Partial<ResponseFilter>): Promise<void> {
  const filter = { ...EVERY, ...more };
  const times: number[] = [];
  let found = 0;
  for (let at = 0; at < PAGES; at++) {
    const createdAt = NOW - Math.floor((at / PAGES) * DAYS);
    const startedMs = performance.now();
    const page = await store.listResponses({
      filter,
      from: { place: { createdAt, responseId: "resp_none" }, direction: at % 2 === 0 ? "older" : "newer" },
      limit: TURNS_PAGE_DEFAULT,
      readsMax: TURNS_READ_MAX,
    });
    times.push(performance.now() - startedMs);
    found += page.responses.length;
  }
  times.sort((a, b) => a - b);
  const p95 = times[Math.floor(times.length * 0.95)] ?? 0;
  isSlow ||= p95 > P95_MAX_MS;
  const shown = [times[times.length >> 1] ?? 0, p95, times.at(-1) ?? 0].map((time) => time.toFixed(1).padStart(7));
  console.log(
    `${name.padEnd(34)} p50 ${shown[0]}  p95 ${shown[1]}  max ${shown[2]} ms   ${found} turns on ${PAGES} pages`,
  );
}

/** Fills a migrated file: one large organization of a hundred keys, and fifty small ones. */
function fill(file: string, count: number): void {
  const database = new DatabaseSync(file);
  const head = JSON.stringify({ text: "x".repeat(700) });
  database.exec(`
    pragma synchronous = off;
    pragma cache_size = -400000;
    begin;
    with recursive n (i) as (select 0 union all select i + 1 from n where i < 8)
    insert into members (id, organization_id, email, role, created_at) select 'mem_' || i, printf('org_%032d', 0), i || '@acme.test', 'member', 1 from n;
    with recursive n (i) as (select 0 union all select i + 1 from n where i < 199)
    insert into api_keys (id, organization_id, member_id, name, permission, created_at)
    select printf('key_%032d', i), case when i < 100 then printf('org_%032d', 0) else printf('org_%032d', i % 50 + 1) end,
           case when i < 90 then 'mem_' || (i % 9) end, 'key ' || i, 'all', 1 from n;
    insert into threads (id, organization_id, key_id, lineage, created_at) values (1, printf('org_%032d', 0), printf('key_%032d', 0), '[]', 1);
    insert into threads (id, public_id, organization_id, key_id, lineage, created_at)
    values (2, 'conv_long', printf('org_%032d', 0), printf('key_%032d', 0), '[]', 1);
    commit`);
  // Of ten turns one is another organization's; key 0 has half of the others, key 99 one in a hundred thousand.
  const insert = database.prepare(`
    with recursive n (i) as (select cast(:first as integer) union all select i + 1 from n where i + 1 < :last),
    turn (i, k) as (select i, case when i % 10 = 9 then 100 + i / 10 % 100 when i % 100000 = 0 then 99 when i % 2 = 0 then 0 else i / 2 % 98 + 1 end from n)
    insert into responses (public_id, organization_id, key_id, thread_id, status, owner, model, turn_id, seen_head, may_fork, created_at,
                           dispatched_at_ms, completed_at, first_position, last_position, input_tokens, cached_tokens, cache_write_tokens,
                           output_tokens, reasoning_tokens, total_tokens, head, ending, member_id, billing_day, charged_nano,
                           failure_code, queue_ms, first_output_ms, duration_ms, attempts, provider_status, provider_request_id,
                           billing_hour, end_user, label)
    select printf('resp_%012x%020d', i, i),
           case when k < 100 then printf('org_%032d', 0) else printf('org_%032d', k % 50 + 1) end, printf('key_%032d', k),
           case when i % 1000 = 2 and i < 2000000 then 2 else 1 end,
           case when i % 200 = 1 then 'failed' when i % 200 = 3 then 'incomplete' when i % 200 = 5 then 'cancelled' else 'completed' end, 1,
           case when i % 50000 = 4 then 'acme/rare' else 'acme/model-' || (i % 8) end,
           printf('resp_%012x%020d', i, i), 0, 0, cast(:start + i * :seconds / :count as integer), 0, cast(:start + i * :seconds / :count as integer) + 4, 1, 2,
           1000, 500, 0, 300, 100, 1300, :head, '{"error":null,"incompleteReason":null,"toolCallsDropped":0,"warnings":[],"failure":null}',
           case when k < 90 then 'mem_' || (k % 9) end, 20000, 1234567,
           case when i % 200 = 1 then case when i % 2000 = 1 then 'provider_rate_limited' else 'provider_error' end end, 0, 400, 4000, 1, 200,
           printf('req_%024d', i), cast(:start + i * :seconds / :count as integer) / 3600,
           case when i % 10 = 0 then 'user_0' when i % 3 = 0 then 'user_' || (i % 100000) end, case when i % 4 < 2 then 'customer=' || (i % 2) end
      from turn`);
  const step = 100_000;
  for (let first = 0; first < count; first += step) {
    insert.run({ first, last: Math.min(first + step, count), start: NOW - DAYS, seconds: DAYS, count, head });
  }
  database.close();
}
