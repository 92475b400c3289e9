// Members, keys and tokens are bounded, and their lists have pages.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { runSql } from "../support/tables.ts";
import { ManagedService } from "./managed-service.ts";

const managed = await ManagedService.start();
after(() => managed.close());

/** All rows of a list, page by page, with the number of pages. */
async function walk(path: string, limit: number, who = managed.operator) {
  const rows: { id: string; name?: string; email?: string }[] = [];
  let pages = 0;
  for (let hasMore = true; hasMore; pages++) {
    const from = rows.length === 0 ? "" : `&after=${rows.at(-1)?.id}`;
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before it ended
    const { status, json, text } = await managed.ask(who, "GET", `${path}?limit=${limit}${from}`);
    assert.equal(status, 200, text);
    rows.push(...json.data);
    hasMore = json.has_more;
  }
  return { rows, pages };
}

/** Adds so many members, and as many keys and tokens of the first of them, made long ago by the clock unless `at` says otherwise. */
async function fill(organizationId: string, count: number, at = 5): Promise<void> {
  const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})`;
  const id = (kind: string) => `'${kind}_' || n || '_${organizationId}'`;
  await runSql(
    managed.service,
    `insert into members (id, organization_id, email, role, created_at)
     ${numbers} select ${id("mem")}, '${organizationId}', 'm' || n || '@x.test', 'member', 5 from numbers`,
  );
  await runSql(
    managed.service,
    `insert into api_keys (id, organization_id, member_id, name, permission, created_at)
     ${numbers} select ${id("key")}, '${organizationId}', 'mem_1_${organizationId}', 'key ' || n, 'all', ${at} from numbers`,
  );
  await runSql(
    managed.service,
    `insert into admin_tokens (id, organization_id, role, name, lookup, hash, created_at, created_by_kind, created_by_id)
     ${numbers} select ${id("tok")}, '${organizationId}', 'admin', 'token ' || n, ${id("look")}, 'h', ${at}, 'member', 'mem_' || (n % 10) || '_${organizationId}' from numbers`,
  );
}

test("walking the pages gives every member, key and token once, in the order of their creation", async () => {
  const organizationId = await managed.newOrganization();
  await fill(organizationId, 25);
  for (const [list, name] of [
    ["members", "email"],
    ["keys", "name"],
    ["tokens", "name"],
  ] as const) {
    const path = `/organizations/${organizationId}/${list}`;
    const whole = await walk(path, 1000);
    assert.deepEqual([whole.rows.length, whole.pages], [25, 1]);
    assert.equal(new Set(whole.rows.map((row) => row[name])).size, 25);
    for (const limit of [1, 7, 25]) {
      assert.deepEqual((await walk(path, limit)).rows, whole.rows, `${list}, ${limit} a page`);
    }
    const unlimited = await managed.ask(managed.operator, "GET", path);
    assert.deepEqual(unlimited.json, { data: whole.rows, has_more: false });
  }
});

test("a member pages through their own keys; a place of another organization is none", async () => {
  const [organizationId, otherId] = [await managed.newOrganization(), await managed.newOrganization()];
  await fill(organizationId, 5);
  await fill(otherId, 2);
  const owner = await managed.signedIn({ id: `mem_1_${organizationId}`, organizationId });
  const nobody = await managed.signedIn({ id: `mem_2_${organizationId}`, organizationId });
  const path = `/organizations/${organizationId}/keys`;
  assert.equal((await walk(path, 2, owner)).rows.length, 5);
  assert.equal((await walk(path, 2, nobody)).rows.length, 0);
  for (const [list, id] of [
    ["keys", `key_1_${otherId}`],
    ["tokens", `tok_1_${otherId}`],
    ["tokens", "nobody"],
    ["members", `mem_1_${otherId}`],
    ["members", "nobody"],
  ] as const) {
    const reply = await managed.ask(managed.operator, "GET", `/organizations/${organizationId}/${list}?after=${id}`);
    assert.deepEqual([reply.status, reply.json.error.param], [400, "after"], list);
  }
});

test("an organization has at most 10,000 members, and 10,000 keys that are not revoked", async () => {
  const organizationId = await managed.newOrganization();
  await fill(organizationId, 9_999);
  const addMember = (email: string) =>
    managed.ask(managed.operator, "POST", `/organizations/${organizationId}/members`, {
      body: { email, role: "member" },
    });
  const createKey = () =>
    managed.ask(managed.operator, "POST", `/organizations/${organizationId}/keys`, { body: { name: "one more" } });
  assert.equal((await addMember("last@x.test")).status, 200);
  const tooMany = await addMember("late@x.test");
  assert.equal(tooMany.status, 400, tooMany.text);
  assert.match(tooMany.json.error.message, /at most 10000 members/);
  assert.equal((await createKey()).status, 200);
  assert.match((await createKey()).json.error.message, /at most 10000 keys/);
  // A revoked key makes room.
  await managed.ask(managed.operator, "POST", `/organizations/${organizationId}/keys/key_1_${organizationId}/revoke`);
  assert.equal((await createKey()).status, 200);
});

test("the tokens of one maker are paged, of an organization and of all", async () => {
  const organizationId = await managed.newOrganization();
  await fill(organizationId, 25);
  for (const where of [`/organizations/${organizationId}`, ""]) {
    const { json } = await managed.ask(
      managed.operator,
      "GET",
      `${where}/tokens?created_by=mem_3_${organizationId}&limit=2`,
    );
    const names = (list: { data: { name: string }[] }) => list.data.map(({ name }) => name);
    assert.deepEqual([names(json), json.has_more], [["token 3", "token 13"], true]);
    const next = `${where}/tokens?created_by=mem_3_${organizationId}&limit=2&after=${json.data[1].id}`;
    const rest = (await managed.ask(managed.operator, "GET", next)).json;
    assert.deepEqual([names(rest), rest.has_more], [["token 23"], false]);
  }
});

test("an organization has at most 10,000 tokens that are valid, of one member 1,000", async () => {
  const organizationId = await managed.newOrganization();
  await fill(organizationId, 9_999);
  const of = `/organizations/${organizationId}`;
  const operator = (path: string, body?: object) =>
    managed.ask(managed.operator, "POST", `${of}${path}`, body === undefined ? {} : { body });
  const create = () => operator("/tokens", { name: "one more", role: "member" });
  assert.equal((await create()).status, 200);
  assert.match((await create()).json.error.message, /at most 10000 tokens/);
  await operator(`/tokens/tok_1_${organizationId}/revoke`);
  await runSql(managed.service, `update admin_tokens set expires_at = 6 where id = 'tok_3_${organizationId}'`);
  assert.equal((await create()).status, 200);
  // The third member has made 1,000, of which one has expired.
  const member = await managed.signedIn({ id: `mem_3_${organizationId}`, organizationId });
  await operator(`/members/mem_3_${organizationId}`, { role: "admin" });
  const own = () => managed.ask(member, "POST", `${of}/tokens`, { body: { name: "my own", role: "member" } });
  assert.equal((await own()).status, 200);
  await operator(`/tokens/tok_2_${organizationId}/revoke`);
  const tooMany = await own();
  assert.equal(tooMany.status, 400, tooMany.text);
  assert.match(tooMany.json.error.message, /A member has at most 1000 tokens/);
});

test("an organization makes at most 10,000 keys and tokens in 24 hours, revoked ones too", async () => {
  const organizationId = await managed.newOrganization();
  const now = Math.floor(managed.service.clock.nowMs() / 1000);
  await fill(organizationId, 10_000, now - 100);
  for (const table of ["api_keys", "admin_tokens"]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await runSql(
      managed.service,
      `update ${table} set revoked_at = ${now} where organization_id = '${organizationId}'`,
    );
  }
  const create = (what: string) =>
    managed.ask(managed.operator, "POST", `/organizations/${organizationId}/${what}`, {
      body: what === "keys" ? { name: "one more" } : { name: "one more", role: "member" },
    });
  for (const what of ["keys", "tokens"]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { status, json } = await create(what);
    assert.equal(status, 400);
    assert.match(json.error.message, new RegExp(`at most 10000 ${what} in 24 hours`));
  }
  managed.service.clock.advance(86_400_000);
  for (const what of ["keys", "tokens"]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    assert.equal((await create(what)).status, 200);
  }
});

test("an organization has at most 20,000 budgets, and a new one sums the past before its write", async (context) => {
  const organizationId = await managed.newOrganization();
  const set = (scope: string) =>
    managed.ask(managed.operator, "POST", `/organizations/${organizationId}/budgets`, { body: { scope, limit: 5 } });
  const writes = context.mock.method(managed.services.store, "setBudget");
  assert.equal((await set("organization")).status, 200);
  assert.ok((writes.mock.calls[0]?.arguments[0].spentBefore?.hour ?? 0) > 0);
  await runSql(
    managed.service,
    `insert into budgets (organization_id, scope, scope_id, period, limit_nano)
     with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 19998)
     select '${organizationId}', 'key', 'key_' || n, 'day', 5 from numbers`,
  );
  assert.equal((await set("organization-day")).status, 200);
  assert.match((await set("response")).json.error.message, /at most 20000 budgets/);
  const lists = context.mock.method(managed.services.store, "listBudgets");
  const admin = await managed.newProgram(organizationId, "admin");
  const body = { scope: "organization", limit: 4 };
  const changed = await managed.ask(admin, "POST", `/organizations/${organizationId}/budgets`, { body });
  assert.equal(changed.status, 200, "one that is there");
  assert.equal(lists.mock.callCount(), 0, "a change reads the budget that it is about");
});
