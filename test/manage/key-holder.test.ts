// What the holder of an API key sees of the key with GET /manage/api/me, and what it does not. @spec authentication
import assert from "node:assert/strict";
import { test } from "node:test";
import { Check } from "typebox/value";
import { TESTS } from "../support/actor.ts";
import { PRICED_MODELS, Purse } from "../support/money.ts";
import type { Reply } from "../support/http-client.ts";
import { managedForFile } from "./managed-service.ts";
import { replyShape } from "./reply-shape.ts";
import { nameKeyLimits, NO_KEY_LIMITS } from "../../src/ports/store/limits.ts";

const DAY_SECONDS = 86_400;

const managed = await managedForFile({ models: PRICED_MODELS, publicUrl: "https://api.example.com/v1" });

async function askMe(key: string): Promise<Reply> {
  const answer = await managed.ask({ token: key }, "GET", "/me");
  if (answer.status === 200) assert.ok(Check(replyShape("showKeyHolder"), answer.json), answer.text);
  return answer;
}

test("a key sees itself, its usage, the budgets that limit it and the allowances", async () => {
  const { service } = managed;
  const purse = await Purse.open(service, 1000, [
    [{ scope: "organization", id: null, period: "total" }, 80],
    [{ scope: "organization-day", id: null, period: "day" }, 70],
    [{ scope: "response", id: null, period: "total" }, 50],
  ]);
  await purse.setBudget({ scope: "key", id: purse.keyId, period: "month" }, 60);
  await purse.setBudget({ scope: "member", id: purse.memberId, period: "day" }, 65);
  const other = await service.newKey(purse.organizationId);
  await purse.setBudget({ scope: "key", id: other.keyId, period: "total" }, 55);
  assert.equal((await purse.create({ input: "Hi" })).status, 200);
  assert.equal((await service.create({ model: "test/priced", input: "Hi" }, { key: other.secret })).status, 200);

  const { json } = await askMe(purse.key);
  const today = Math.floor(service.clock.nowMs() / 1000 / DAY_SECONDS);
  const date = new Date(service.clock.nowMs());
  const nextMonth = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1000;
  const usage = {
    responses: 1,
    input_tokens: 10,
    cached_tokens: 2,
    cache_write_tokens: 1,
    output_tokens: 5,
    reasoning_tokens: 1,
    credits: 1.32,
    cached_share: 0.2,
    saved: 0.18,
  };
  assert.deepEqual(json, {
    key: {
      id: purse.keyId,
      name: purse.keyId,
      permissions: "all",
      limits: nameKeyLimits(NO_KEY_LIMITS),
      created: 1,
      secret_valid_until: null,
    },
    usage: { today: usage, month: usage },
    budgets: [
      { scope: "response", period: "total", limit: 50, left: 50, held: 0, resets_at: null },
      { scope: "key", period: "month", limit: 60, left: 58.68, held: 0, resets_at: nextMonth },
      { scope: "member", period: "day", limit: 65, left: 63.68, held: 0, resets_at: (today + 1) * DAY_SECONDS },
      {
        scope: "organization-day",
        period: "day",
        limit: 70,
        left: 67.36,
        held: 0,
        resets_at: (today + 1) * DAY_SECONDS,
      },
      { scope: "organization", period: "total", limit: 80, left: 77.36, held: 0, resets_at: null },
    ],
    allowances: json.allowances,
    open_streams: { max: 5000, open: 0 },
    turns: { max: 1200, now: 0 },
    usd_per_credit: 0.01,
    base_url: "https://api.example.com/v1",
  });
  const [create, retrieve, remove] = json.allowances;
  assert.deepEqual([create.class, create.per_minute, create.used, create.remaining], ["create", 60_000, 2, 59_998]);
  // This request itself.
  assert.deepEqual([retrieve.class, retrieve.used, retrieve.full_in_seconds > 0], ["retrieve", 1, true]);
  assert.deepEqual([remove.class, remove.used, remove.full_in_seconds], ["delete", 0, 0]);
});

test("the day and the month are those of the clock, and a budget begins anew", async () => {
  const { service } = managed;
  const purse = await Purse.open(service, 1000);
  await purse.setBudget({ scope: "key", id: purse.keyId, period: "day" }, 50);
  await purse.create({ input: "Hi" });
  const responses = async () => {
    const { usage, budgets } = (await askMe(purse.key)).json;
    return [usage.today.responses, usage.month.responses, budgets[0].left];
  };
  assert.deepEqual(await responses(), [1, 1, 48.68]);
  service.clock.advance(32 * DAY_SECONDS * 1000);
  assert.deepEqual(await responses(), [0, 0, 50]);
});

test("a rotated secret shows its end, the new one has none, and a revoked key is a 401 at once", async () => {
  const { service } = managed;
  const { keyId, secret } = await service.newKey();
  const path = `/organizations/${service.organizationId}/keys/${keyId}`;
  const { json } = await managed.ask(managed.operator, "POST", `${path}/rotate`, { body: { grace: "1h" } });
  assert.equal((await askMe(secret)).json.key.secret_valid_until, json.old_secret_valid_until);
  assert.equal((await askMe(json.secret)).json.key.secret_valid_until, null);
  await managed.ask(managed.operator, "POST", `${path}/revoke`);
  for (const each of [secret, json.secret]) {
    const { status, json: body } = await askMe(each);
    assert.deepEqual([status, body.error.code], [401, "invalid_api_key"]);
  }
});

test("only a key that may read is admitted, of an organization that is not suspended", async () => {
  const { service } = managed;
  const { organizationId } = await service.newOrganization();
  const codeOf = async (key: string) => {
    const { status, json } = await askMe(key);
    return status === 200 ? 200 : `${status} ${json.error.code}`;
  };
  const reader = await service.newKey(organizationId, "read");
  assert.equal(await codeOf(reader.secret), 200);
  assert.equal(await codeOf((await service.newKey(organizationId, "none")).secret), "403 access_denied");
  const suspend = (word: string) => managed.ask(managed.operator, "POST", `/organizations/${organizationId}/${word}`);
  await suspend("suspend");
  assert.equal(await codeOf(reader.secret), "403 access_denied");
  await suspend("resume");
  assert.equal(await codeOf("sk_wrong"), "401 invalid_api_key");
  const { json } = await managed.ask(await managed.newPerson(organizationId, "owner"), "GET", "/me");
  assert.equal(json.error.code, "invalid_api_key", "a session is no key");
  assert.equal("token" in managed.operator && (await codeOf(managed.operator.token)), "401 invalid_api_key");
});

test("reading oneself counts against the organization's limit of reads", async () => {
  const { service } = managed;
  const { organizationId } = await service.newOrganization();
  const { secret } = await service.newKey(organizationId);
  const body = { retrieve_per_minute: 2 };
  await managed.ask(managed.operator, "POST", `/organizations/${organizationId}/limits`, { body });
  assert.deepEqual([(await askMe(secret)).status, (await askMe(secret)).status], [200, 200]);
  const { status, json, headers } = await askMe(secret);
  assert.deepEqual([status, json.error.code, headers["retry-after"]], [429, "rate_limit_exceeded", "30"]);
});

test("and against the key's own, which is drawn first and leaves the other keys their reads", async () => {
  const { service } = managed;
  const { organizationId } = await service.newOrganization();
  const { secret, keyId } = await service.newKey(organizationId);
  const other = await service.newKey(organizationId);
  await service.store.updateKey({ by: TESTS, keyId, limits: { retrievePerMinute: 1 } });
  assert.equal((await askMe(secret)).status, 200);
  const { status, json, headers } = await managed.ask({ token: secret }, "GET", "/me/conversations");
  assert.deepEqual([status, json.error.code, headers["retry-after"]], [429, "rate_limit_exceeded", "60"]);
  assert.match(json.error.message, /^This API key may send 1 /);
  const { allowances } = (await askMe(other.secret)).json;
  assert.equal(allowances[1].used, 2);
});

test("an API key of /v1 is not accepted as a token", async () => {
  const answer = await managed.ask({ token: managed.service.key }, "GET", "/session");
  assert.equal(answer.json.error.code, "invalid_api_key");
});

test("a key lists its own conversations, with their first words", async () => {
  const { service } = managed;
  const purse = await Purse.open(service, 1000);
  const { json: conversation } = await service.request("POST", "/v1/conversations", { key: purse.key, body: {} });
  assert.equal((await purse.create({ input: "What is a gateway?", conversation: conversation.id })).status, 200);
  const list = async (key: string, query = "") => {
    const { status, json, text } = await managed.ask({ token: key }, "GET", `/me/conversations${query}`);
    if (status === 200) assert.ok(Check(replyShape("listKeyConversations"), json), text);
    return { status, json };
  };
  const { json } = await list(purse.key);
  const [{ place, credits, last_used_at: at, ...one }, ...more] = json.data;
  const { id, created_at: created } = conversation;
  assert.deepEqual([one, more], [{ id, title: "What is a gateway?", created, responses: 1 }, []]);
  assert.ok(credits > 0 && at >= created);
  // Nothing that counts the turns of all.
  assert.match(place, new RegExp(`^${at}\\.resp_`));
  assert.deepEqual((await list(purse.key, `?before=${place}`)).json, { data: [], has_more: false });
  const other = await service.newKey(purse.organizationId);
  assert.deepEqual((await list(other.secret)).json.data, []);
  assert.equal((await list("sk_wrong")).status, 401);
});
