// Sessions of operators, the lists of sessions, ending them, and the first password.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SESSIONS_PER_PERSON_MAX } from "../../src/contract/manage/limits.ts";
import type { Loose, Reply } from "../support/http-client.ts";
import { type Identity, managedForFile, sessionOf } from "./managed-service.ts";

const HOUR_MS = 3_600_000;
const OWN_WORDS = "four words of one";

const managed = await managedForFile();

/** Advances the clock until sign-ins are allowed again. */
const waitAMinute = () => managed.service.clock.advance(60_000);

async function newMember() {
  return managed.newMember(await managed.newOrganization(), "owner");
}

async function operatorLink(name: string): Promise<Loose> {
  const { status, json, text } = await managed.ask(managed.operator, "POST", "/operators/sign-in-link", {
    body: { name },
  });
  assert.equal(status, 200, text);
  return json;
}

function redeem(secret: string, more: object = {}, headers: Record<string, string> = {}): Promise<Reply> {
  return managed.ask(null, "POST", "/sign-in-links/redeem", { body: { secret, ...more }, headers });
}

async function listed(who: Identity, path = "/sessions"): Promise<Loose[]> {
  return (await managed.ask(who, "GET", path)).json.data;
}

test("an operator's link signs in once, within 15 minutes, without a password", async () => {
  await waitAMinute();
  const { secret, url, operator, expires_at } = await operatorLink(" Ada ");
  assert.deepEqual(operator, { name: "Ada" });
  assert.equal(url, `${managed.baseUrl}/sign-in?as=operator#${secret}`);
  assert.equal(expires_at, Math.floor(managed.service.clock.nowMs() / 1000) + 15 * 60);
  const withPassword = await redeem(secret, { password: OWN_WORDS });
  assert.deepEqual([withPassword.status, withPassword.json.error.param], [400, "password"]);
  const redeemed = await redeem(secret);
  assert.equal(redeemed.status, 200, redeemed.text);
  assert.deepEqual(
    [redeemed.json.role, redeemed.json.operator, redeemed.json.member],
    ["operator", { name: "Ada" }, null],
  );
  const ada = sessionOf(redeemed);
  assert.equal((await managed.ask(ada, "GET", "/organizations")).status, 200);
  assert.equal((await redeem(secret)).json.error.param, "secret");
  const first = await operatorLink("Ada");
  const second = await operatorLink("Ada");
  assert.equal((await redeem(first.secret)).status, 400, "a new link replaces the one before");
  await managed.service.clock.advance(15 * 60_000);
  assert.equal((await redeem(second.secret)).status, 400, "a link expires");
  assert.ok(await managed.isSignedIn(ada));
  await managed.ask(ada, "DELETE", "/session");
  assert.ok(!(await managed.isSignedIn(ada)));
});

test("a change with an operator's session needs its CSRF token", async () => {
  const ada = await managed.operatorSession("Ada");
  assert.ok("cookie" in ada);
  const asked = { body: { name: "Forged" }, headers: { cookie: ada.cookie, "sec-fetch-site": "cross-site" } };
  assert.equal((await managed.ask(null, "POST", "/organizations", asked)).status, 403);
  assert.equal((await managed.ask(ada, "POST", "/organizations", { body: { name: "Meant" } })).status, 200);
});

test("operators see all sessions of operators, and each can end any", async () => {
  const [ada, grace] = [await managed.operatorSession("Ada L"), await managed.operatorSession("Grace H")];
  const all = await listed(ada, "/operators/sessions");
  const found = all.find(({ operator }) => operator === "Grace H");
  assert.ok(found !== undefined);
  assert.deepEqual(
    all.filter(({ current }) => current).map(({ operator }) => operator),
    ["Ada L"],
  );
  assert.equal((await managed.ask(ada, "DELETE", `/operators/sessions/${found.id}`)).status, 200);
  assert.ok(!(await managed.isSignedIn(grace)));
  assert.ok(await managed.isSignedIn(ada));
  assert.equal((await managed.ask(ada, "DELETE", `/operators/sessions/${found.id}`)).status, 404);
  const member = await newMember();
  const owner = await managed.signedIn(member);
  const [own] = await listed(owner);
  assert.equal((await managed.ask(ada, "DELETE", `/operators/sessions/${own.id}`)).status, 404);
  assert.ok(await managed.isSignedIn(owner));
});

test("an operator's own sessions are those of the name", async () => {
  const first = await managed.operatorSession("Twice");
  const second = await managed.operatorSession("Twice");
  const other = await managed.operatorSession("Once");
  assert.equal((await listed(first)).length, 2);
  assert.equal((await managed.ask(first, "DELETE", "/sessions")).status, 200);
  assert.deepEqual(
    [await managed.isSignedIn(first), await managed.isSignedIn(second), await managed.isSignedIn(other)],
    [false, false, true],
  );
});

test("a person's sessions are listed with times, address and program, newest first", async () => {
  await waitAMinute();
  const member = await newMember();
  const agent = "Mozilla/5.0 (tests)";
  const first = sessionOf(await redeem(await managed.linkOf(member), { password: OWN_WORDS }, { "user-agent": agent }));
  const startedAt = Math.floor(managed.service.clock.nowMs() / 1000);
  await managed.service.clock.advance(HOUR_MS);
  const body = { email: member.email, password: OWN_WORDS };
  const second = sessionOf(await managed.ask(null, "POST", "/session", { body }));
  await managed.service.clock.advance(HOUR_MS);
  const [newer, older, ...others] = await listed(first);
  assert.deepEqual(others, []);
  assert.deepEqual(older, {
    id: older.id,
    created: startedAt,
    last_used: startedAt + 2 * 3600,
    expires_at: startedAt + 7 * 24 * 3600,
    address: older.address,
    user_agent: agent,
    current: true,
  });
  assert.match(older.address, /127\.0\.0\.1$/);
  assert.deepEqual([newer.created, newer.last_used, newer.current], [startedAt + 3600, startedAt + 3600, false]);
  assert.equal(newer.user_agent, null);
  assert.equal((await managed.ask(first, "DELETE", `/sessions/${newer.id}`)).headers["set-cookie"], undefined);
  assert.deepEqual([await managed.isSignedIn(first), await managed.isSignedIn(second)], [true, false]);
  const last = await managed.ask(first, "DELETE", `/sessions/${older.id}`);
  assert.match(last.headers["set-cookie"] ?? "", /^turngate_session=; Max-Age=0;/);
  assert.ok(!(await managed.isSignedIn(first)));
});

test("an expired session is not listed", async () => {
  await waitAMinute();
  const member = await newMember();
  await redeem(await managed.linkOf(member), { password: OWN_WORDS });
  await managed.service.clock.advance(12 * HOUR_MS);
  const body = { email: member.email, password: OWN_WORDS };
  const fresh = sessionOf(await managed.ask(null, "POST", "/session", { body }));
  assert.equal((await listed(fresh)).length, 1);
});

test("another person's session is a 404, and stays", async () => {
  const [one, other] = [await managed.signedIn(await newMember()), await managed.signedIn(await newMember())];
  const [own] = await listed(other);
  const { status, json } = await managed.ask(one, "DELETE", `/sessions/${own.id}`);
  assert.deepEqual([status, json.error.code], [404, "resource_not_found"]);
  assert.ok(await managed.isSignedIn(other));
});

test("signing out everywhere ends every session of the person and of nobody else", async () => {
  await waitAMinute();
  const member = await newMember();
  const first = sessionOf(await redeem(await managed.linkOf(member), { password: OWN_WORDS }));
  const body = { email: member.email, password: OWN_WORDS };
  const second = sessionOf(await managed.ask(null, "POST", "/session", { body }));
  const other = await managed.signedIn(await newMember());
  const ended = await managed.ask(first, "DELETE", "/sessions");
  assert.match(ended.headers["set-cookie"] ?? "", /Max-Age=0/);
  assert.deepEqual(
    [await managed.isSignedIn(first), await managed.isSignedIn(second), await managed.isSignedIn(other)],
    [false, false, true],
  );
});

test("a person has a bounded number of sessions: one more ends the oldest", async () => {
  const first = await managed.operatorSession("Often");
  await managed.service.clock.advance(1000);
  for (let count = 1; count < SESSIONS_PER_PERSON_MAX; count++) await managed.operatorSession("Often");
  assert.ok(await managed.isSignedIn(first));
  const last = await managed.operatorSession("Often");
  assert.ok(!(await managed.isSignedIn(first)));
  assert.equal((await listed(last)).length, SESSIONS_PER_PERSON_MAX);
});

test("a person without a password sets the first one in a session; a second one needs the first", async () => {
  await waitAMinute();
  const member = await newMember();
  const redeemed = await redeem(await managed.linkOf(member));
  assert.equal(redeemed.json.has_password, false);
  const set = (who: Identity, more: object) =>
    managed.ask(who, "POST", "/session/password", { body: { new_password: OWN_WORDS, ...more } });
  const wrong = await set(sessionOf(redeemed), { current_password: "a guess of it" });
  assert.equal(wrong.json.error.param, "current_password");
  assert.equal((await set(sessionOf(redeemed), {})).status, 200);
  assert.ok(!(await managed.isSignedIn(sessionOf(redeemed))), "as for every change, all sessions end");
  const body = { email: member.email, password: OWN_WORDS };
  const again = await managed.ask(null, "POST", "/session", { body });
  assert.equal(again.json.has_password, true);
  const { status, json } = await set(sessionOf(again), {});
  assert.deepEqual([status, json.error.param], [400, "current_password"]);
  const operator = await set(await managed.operatorSession("Ada"), {});
  assert.equal(operator.status, 400);
});

test("the members of a suspended organization stay signed in: revoking a key must work", async () => {
  const member = await newMember();
  const owner = await managed.signedIn(member);
  const path = `/organizations/${member.organizationId}`;
  await managed.ask(managed.operator, "POST", `${path}/suspend`);
  assert.equal((await managed.ask(owner, "GET", path)).json.suspended, true);
});
