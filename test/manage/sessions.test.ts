// People: signing in, the use of a session, and its end.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MemberRole } from "../../src/contract/manage/roles.ts";
import type { Reply } from "../support/http-client.ts";
import { managedForFile, ManagedService, PASSWORD, sessionOf } from "./managed-service.ts";

const HOUR_MS = 3_600_000;
const OWN_WORDS = "four words of one";

const managed = await managedForFile();

/** Advances the clock until sign-ins are allowed again. */
const waitAMinute = () => managed.service.clock.advance(60_000);

async function newMember(role: MemberRole = "owner", email?: string) {
  return managed.newMember(await managed.newOrganization(), role, email);
}

function redeem(secret: string, password = OWN_WORDS): Promise<Reply> {
  return managed.ask(null, "POST", "/sign-in-links/redeem", { body: { secret, password } });
}

function signIn(email: string, password: string, more: object = {}, headers: Record<string, string> = {}) {
  return managed.ask(null, "POST", "/session", { body: { email, password, ...more }, headers });
}

test("a link sets a password and signs in; afterwards e-mail and password sign in", async () => {
  await waitAMinute();
  const member = await newMember("admin");
  const redeemed = await redeem(await managed.linkOf(member));
  assert.equal(redeemed.status, 200, redeemed.text);
  assert.equal(redeemed.json.kind, "session");
  assert.equal(redeemed.json.role, "admin");
  assert.deepEqual(redeemed.json.member, { id: member.id, email: member.email, role: "admin" });
  assert.ok(await managed.isSignedIn(sessionOf(redeemed)));

  const answer = await signIn(member.email.toUpperCase(), OWN_WORDS);
  assert.equal(answer.status, 200, answer.text);
  assert.match(
    answer.headers["set-cookie"] ?? "",
    /^turngate_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  assert.equal(answer.headers["cache-control"], "no-store");
  assert.deepEqual((await managed.ask(sessionOf(answer), "GET", "/session")).json, answer.json);
});

test("a link without a password signs in, once, and leaves the password as it is", async () => {
  await waitAMinute();
  const member = await newMember();
  const open = async () => {
    const body = { secret: await managed.linkOf(member) };
    const first = await managed.ask(null, "POST", "/sign-in-links/redeem", { body });
    const second = await managed.ask(null, "POST", "/sign-in-links/redeem", { body });
    assert.deepEqual([first.status, second.status], [200, 400]);
    return sessionOf(first);
  };
  assert.ok(await managed.isSignedIn(await open()));
  assert.equal((await signIn(member.email, OWN_WORDS)).status, 401);
  await redeem(await managed.linkOf(member));
  await waitAMinute();
  assert.ok(await managed.isSignedIn(await open()));
  assert.equal((await signIn(member.email, OWN_WORDS)).status, 200);
});

test("only the newest link is valid, once and for 24 hours", async () => {
  await waitAMinute();
  const member = await newMember();
  const first = await managed.linkOf(member);
  const second = await managed.linkOf(member);
  assert.equal((await redeem(first)).json.error.param, "secret");
  assert.equal((await redeem(second)).status, 200);
  assert.equal((await redeem(second)).json.error.param, "secret");
  const late = await managed.linkOf(member);
  await managed.service.clock.advance(24 * HOUR_MS);
  assert.equal((await redeem(late)).json.error.param, "secret");
});

test("a weak password is rejected and leaves the link valid", async () => {
  await waitAMinute();
  const secret = await managed.linkOf(await newMember());
  const { status, json } = await redeem(secret, "short");
  assert.deepEqual([status, json.error.param], [400, "password"]);
  assert.equal((await redeem(secret)).status, 200);
});

test("every failed sign-in gets the same response", async () => {
  await waitAMinute();
  const member = await newMember();
  await redeem(await managed.linkOf(member));
  const never = await newMember();
  const answers = await Promise.all([
    signIn(member.email, "another password"),
    signIn("nobody@test.test", OWN_WORDS),
    signIn(never.email, OWN_WORDS),
    signIn(member.email, OWN_WORDS, { organization: "another one" }),
  ]);
  for (const { status, text, headers } of answers) {
    assert.equal(status, 401);
    assert.equal(text, answers[0]?.text);
    assert.equal(headers["set-cookie"], undefined);
  }
  assert.doesNotMatch(JSON.stringify(managed.service.logged), new RegExp(`${OWN_WORDS}|${member.email}`));
});

test("a member of two organizations has to name one", async () => {
  await waitAMinute();
  const [one, other] = [await newMember("owner", "both@test.test"), await newMember("member", "both@test.test")];
  for (const member of [one, other]) await redeem(await managed.linkOf(member));
  assert.equal((await signIn("both@test.test", OWN_WORDS)).status, 401);
  const answer = await signIn("both@test.test", OWN_WORDS, { organization: other.organizationId });
  assert.equal(answer.json.organization.id, other.organizationId);
  assert.equal(answer.json.role, "member");
});

test("a session ends after 12 hours without use, and after 7 days in any case", async () => {
  const { clock } = managed.service;
  const idle = await managed.signedIn(await newMember());
  const used = await managed.signedIn(await newMember());
  await clock.advance(12 * HOUR_MS - 1);
  assert.ok(await managed.isSignedIn(used));
  await clock.advance(1);
  assert.ok(!(await managed.isSignedIn(idle)));
  for (let hours = 12; hours < 167; hours += 5) {
    await clock.advance(5 * HOUR_MS);
    assert.ok(await managed.isSignedIn(used), `after ${hours + 5} hours`);
  }
  await clock.advance(HOUR_MS);
  assert.ok(!(await managed.isSignedIn(used)));
});

test("sign-out ends only this session and clears the cookie", async () => {
  const member = await newMember();
  const session = await managed.signedIn(member);
  const answer = await managed.ask(session, "DELETE", "/session");
  assert.equal(answer.status, 200);
  assert.match(answer.headers["set-cookie"] ?? "", /^turngate_session=; Max-Age=0;/);
  assert.ok(!(await managed.isSignedIn(session)));
});

test("changing the password ends every session and invalidates the old password", async () => {
  await waitAMinute();
  const member = await newMember();
  const session = await managed.signedIn(member);
  const change = (current: string) =>
    managed.ask(session, "POST", "/session/password", {
      body: { current_password: current, new_password: "another four words" },
    });
  assert.equal((await change("wrong")).json.error.param, "current_password");
  assert.ok(await managed.isSignedIn(session));
  assert.equal((await change(PASSWORD)).status, 200);
  assert.ok(!(await managed.isSignedIn(session)));
  assert.equal((await signIn(member.email, PASSWORD)).status, 401);
  assert.equal((await signIn(member.email, "another four words")).status, 200);
});

test("a new password by link and removal end every session at once; a new role applies at once", async () => {
  await waitAMinute();
  const organizationId = await managed.newOrganization();
  await managed.newMember(organizationId, "owner");
  const member = await managed.newMember(organizationId, "admin");
  const first = await managed.signedIn(member);
  await redeem(await managed.linkOf(member));
  assert.ok(!(await managed.isSignedIn(first)));

  const second = await managed.signedIn(member);
  const path = `/organizations/${organizationId}`;
  assert.equal((await managed.ask(second, "POST", `${path}/keys`, { body: { name: "web app" } })).status, 200);
  await managed.ask(managed.operator, "POST", `${path}/members/${member.id}`, { body: { role: "member" } });
  assert.equal((await managed.ask(second, "POST", `${path}/keys`, { body: { name: "web app" } })).status, 403);
  await managed.ask(managed.operator, "DELETE", `${path}/members/${member.id}`);
  assert.ok(!(await managed.isSignedIn(second)));
});

test("a change needs the session's CSRF token or the browser's same-origin header", async () => {
  const session = await managed.newPerson(await managed.newOrganization(), "owner");
  assert.ok("cookie" in session);
  const rename = (headers: Record<string, string>) => {
    const request = { headers: { cookie: session.cookie, ...headers } };
    return managed.ask(null, "DELETE", "/session", request);
  };
  for (const headers of [
    {},
    { "x-csrf-token": "wrong" },
    { origin: "http://evil.test" },
    { "sec-fetch-site": "cross-site", origin: managed.baseUrl },
    { "sec-fetch-site": "same-site" },
    { origin: "null" },
  ]) {
    const { status, json } = await rename(headers);
    assert.deepEqual([status, json.error.code], [403, "access_denied"], JSON.stringify(headers));
  }
  assert.ok(await managed.isSignedIn(session), "reading needs no proof");
  assert.equal((await rename({ "sec-fetch-site": "same-origin" })).status, 200);
});

test("a sign-in from another site is rejected", async () => {
  const { status, json } = await signIn("ada@test.test", OWN_WORDS, {}, { "sec-fetch-site": "cross-site" });
  assert.deepEqual([status, json.error.code], [403, "access_denied"]);
});

test("two different session cookies count as none", async () => {
  const session = await managed.newPerson(await managed.newOrganization(), "owner");
  assert.ok("cookie" in session);
  const cookie = `${session.cookie}; turngate_session=planted`;
  assert.equal((await managed.ask(null, "GET", "/session", { headers: { cookie } })).status, 401);
});

test("sign-in attempts are rate limited", async () => {
  await waitAMinute();
  const member = await newMember();
  const answers: Reply[] = [];
  for (let attempt = 0; attempt < 6; attempt++) answers.push(await signIn(member.email, "wrong password"));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [401, 401, 401, 401, 401, 429],
  );
  const last = answers.at(-1);
  assert.equal(last?.json.error.code, "rate_limit_exceeded");
  assert.equal(last?.headers["retry-after"], "12");
  await managed.service.clock.advance(12_000);
  assert.equal((await signIn(member.email, "wrong password")).status, 401);
});

test("with an https address the cookie is sent over https only", async () => {
  const secure = await ManagedService.start({ manageUrl: "https://manage.test" });
  try {
    const member = await secure.newMember(await secure.newOrganization(), "owner");
    const path = `/organizations/${member.organizationId}/members/${member.id}/sign-in-link`;
    const link = (await secure.ask(secure.operator, "POST", path)).json;
    assert.equal(link.url, `https://manage.test/sign-in#${link.secret}`);
    const body = { secret: link.secret, password: OWN_WORDS };
    const answer = await secure.ask(null, "POST", "/sign-in-links/redeem", { body });
    const [cookie = ""] = (answer.headers["set-cookie"] ?? "").split(";");
    assert.match(
      answer.headers["set-cookie"] ?? "",
      /^__Host-turngate_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    assert.equal((await secure.ask(null, "GET", "/session", { headers: { cookie } })).status, 200);
    const plain = cookie.replace("__Host-", "");
    assert.equal((await secure.ask(null, "GET", "/session", { headers: { cookie: plain } })).status, 401);
    const fromOwn = { cookie, origin: "https://manage.test" };
    assert.equal((await secure.ask(null, "DELETE", "/session", { headers: fromOwn })).status, 200);
  } finally {
    await secure.close();
  }
});
