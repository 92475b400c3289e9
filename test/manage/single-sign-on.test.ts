// Single sign-on against a real OpenID provider: who gets in, as what, and what is said to the others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CLIENT_ID } from "../support/openid-provider.ts";
import { type Identity, ManagedService, PASSWORD } from "./managed-service.ts";
import { assertRejected, sessionOf, startSingleSignOn } from "./single-sign-on-stage.ts";

const { begin, finish, isSignedIn, managed, organizationId, otherId, person, provider, signIn, startService } =
  await startSingleSignOn();

async function audited(action: string, of: string | null = organizationId) {
  const entries = await managed.store.listAudit({ organizationId: of, before: null, limit: 50 });
  return entries.filter((entry) => entry.action === action);
}

test("the sign-in page learns the provider's name", async () => {
  assert.deepEqual((await managed.ask(null, "GET", "/sign-in")).json, {
    passwords: true,
    single_sign_on: { name: "Acme login" },
  });
});

test("a first sign-in adds a member with the role of the first fitting rule; the browser kept only a sealed text", async () => {
  const { url, cookie } = await begin();
  const asked = new URL(url).searchParams;
  assert.equal(new URL(url).origin, provider.issuer);
  assert.deepEqual(
    ["client_id", "response_type", "scope", "redirect_uri", "code_challenge_method"].map((name) => asked.get(name)),
    [CLIENT_ID, "code", "openid email groups", `${managed.baseUrl}/sign-in/callback`, "S256"],
  );
  const kept = Buffer.from(cookie.split("=")[1] ?? "", "base64url").toString("latin1");
  for (const name of ["state", "nonce"]) {
    const value = asked.get(name) ?? "";
    assert.ok(value.length >= 32);
    assert.ok(!cookie.includes(value) && !kept.includes(value), name);
  }
  const reply = await finish(await provider.visit(url, person("ada", ["acme", "acme-admins"])), cookie);
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual([reply.json.role, reply.json.member.email], ["admin", "ada@acme.test"]);
  assert.equal(reply.json.organization.id, organizationId);
  assert.equal(reply.json.has_password, false);
  assert.match(reply.headers["set-cookie"] ?? "", /turngate_sign_in=; Max-Age=0/);
  assert.ok(await isSignedIn(sessionOf(reply)));
  const by = { kind: "service", id: "single sign-on" };
  const [added] = await audited("member.add");
  assert.deepEqual([added?.by, added?.after], [by, { email: "ada@acme.test", role: "admin" }]);
  const [linked] = await audited("member.identity");
  assert.deepEqual([linked?.by, linked?.after], [by, { issuer: provider.issuer, subject: "ada" }]);
});

test("the role follows the groups at every sign-in, by the provider's id even with a new address", async () => {
  const login = person("grace", ["acme-admins"]);
  const first = await signIn(login);
  person(login, ["acme"], { email: "hopper@acme.test" });
  const second = await signIn(login);
  assert.deepEqual([second.json.role, second.json.member.id], ["member", first.json.member.id]);
  assert.equal((await managed.ask(sessionOf(first), "GET", "/session")).json.role, "member", "older sessions too");
  const [changed] = await audited("member.role");
  assert.deepEqual([changed?.before, changed?.after], [{ role: "admin" }, { role: "member" }]);
});

test("the last owner stays one, whatever the groups say", async () => {
  const login = person("olive", ["acme-owners"]);
  assert.equal((await signIn(login)).json.role, "owner");
  person(login, ["acme"]);
  assert.equal((await signIn(login)).json.role, "owner");
  await managed.newMember(organizationId, "owner");
  assert.equal((await signIn(login)).json.role, "member");
});

test("what the operator has set is a ceiling for owners and admins who sign in so", async () => {
  const budgets = `/organizations/${otherId}/budgets`;
  const set = (who: Identity, limit: number) =>
    managed.ask(who, "POST", budgets, { body: { scope: "organization", period: "month", limit } });
  assert.equal((await set(managed.operator, 100)).status, 200);
  const named = { organization: "Managed 2" };
  for (const role of ["owner", "admin"]) {
    const signedIn = await signIn(person(`kept-${role}`, [`other-${role}s`]), named);
    assert.equal(signedIn.json.role, role, signedIn.text);
    const denied = await set(sessionOf(signedIn), 101);
    assert.deepEqual([denied.status, denied.json.error.code], [403, "access_denied"]);
    assert.match(denied.json.error.message, /^The operator of the service has set /);
    const own = await set(sessionOf(signedIn), 60);
    assert.deepEqual([own.status, own.json.limit, own.json.ceiling], [200, 60, 100]);
  }
});

test("an operator's group opens the whole service, under the address as the name", async () => {
  const reply = await signIn(person("root", ["acme", "platform"]));
  assert.deepEqual([reply.json.role, reply.json.operator], ["operator", { name: "root@acme.test" }]);
  assert.equal((await managed.ask(sessionOf(reply), "GET", "/organizations")).status, 200);
});

test("a person of several organizations names one; a wrong name ends nothing", async () => {
  const login = person("both", ["acme", "other", "platform"]);
  assert.equal((await signIn(login)).json.role, "operator");
  const first = await signIn(login, { organization: "Managed 1" });
  assert.equal(first.json.organization.id, organizationId);
  const second = await signIn(login, { organization: otherId });
  assert.equal(second.json.organization.id, otherId);
  assertRejected(await signIn(login, { organization: "Managed 3" }), 403, /no access to that organization/);
  assert.ok(await isSignedIn(sessionOf(first)));
});

test("without a fitting group there is no way in, and earlier sessions end", async () => {
  const login = person("leaver", ["acme"]);
  const earlier = sessionOf(await signIn(login));
  assert.ok(await isSignedIn(earlier));
  person(login, []);
  assertRejected(await signIn(login), 403, /Your groups at Acme login give you no access here/);
  assert.ok(!(await isSignedIn(earlier)));
});

test("whoever loses an organization, a role or the operator's at the provider loses it at the next sign-in, whatever comes of it", async () => {
  await managed.newMember(organizationId, "owner");
  const login = person("mover", ["acme-owners", "other", "platform"]);
  const operator = sessionOf(await signIn(login));
  const owner = sessionOf(await signIn(login, { organization: "Managed 1" }));
  const member = sessionOf(await signIn(login, { organization: "Managed 2" }));
  assert.ok((await isSignedIn(operator)) && (await isSignedIn(owner)) && (await isSignedIn(member)));

  // The operator's role is lost, with another address by now.
  person(login, ["acme-owners", "other"], { email: "moved@acme.test" });
  await signIn(login, { organization: "Managed 2" });
  assert.deepEqual(
    [await isSignedIn(operator), await isSignedIn(owner), await isSignedIn(member)],
    [false, true, true],
  );
  // Another role in one organization; the sign-in is to the other.
  person(login, ["acme", "other"]);
  await signIn(login, { organization: "Managed 2" });
  assert.equal((await managed.ask(owner, "GET", "/session")).json.role, "member");
  // An organization is lost; the sign-in is rejected.
  person(login, ["acme"], { email_verified: false });
  assertRejected(await signIn(login), 403, /has not verified/);
  assert.ok(!(await isSignedIn(member)));
});

test("a rejected sign-in with somebody else's address ends none of their sessions", async () => {
  const victim = sessionOf(await signIn(person("victim", ["platform"])));
  assertRejected(await signIn(person("thief", [], { email: "victim@acme.test" })), 403, /no access/);
  assert.ok(await isSignedIn(victim));
});

test("a verified address whose lower case differs outside ASCII is nobody's", async () => {
  const { organization } = (await signIn(person("plain", ["acme"]))).json;
  await managed.newMember(organization.id, "owner", "kate@acme.test");
  const evil = person("evil", ["acme"], { email: "\u212aate@acme.test" });
  assertRejected(await signIn(evil), 403, /no e-mail address for you that can be used/);
  const body = { email: "\u212aate@acme.test", password: PASSWORD };
  const reply = await managed.ask(null, "POST", "/session", { body });
  assert.deepEqual([reply.status, reply.json.error.param], [400, "email"]);
});

test("a rule for an organization that is not there lets nobody in, and is logged", async () => {
  assertRejected(await signIn(person("lost", ["lost"])), 403, /no access/);
  assert.ok(managed.service.logged.some(({ event }) => event === "manage.sso_unknown_organization"));
});

test("an address must be there and verified", async () => {
  assertRejected(await signIn(person("anonymous", ["acme"], { email: undefined })), 403, /sent no e-mail address/);
  assertRejected(await signIn(person("odd", ["acme"], { email: "no address" })), 403, /sent no e-mail address/);
  for (const email_verified of [false, undefined, "no"]) {
    assertRejected(await signIn(person("unsure", ["acme"], { email_verified })), 403, /has not verified/);
  }
});

test("a member who was added before is found by the address, once: another person does not take over", async () => {
  const member = await managed.newMember(organizationId, "member", "shared@acme.test");
  person("first", ["acme"], { email: "Shared@Acme.Test" });
  const reply = await signIn("first");
  assert.equal(reply.json.member.id, member.id);
  person("second", ["acme-owners"], { email: "shared@acme.test" });
  assertRejected(await signIn("second"), 403, /shared@acme\.test belongs to another person/);
  // Their own address again.
  person("first", ["acme"], { email: "first@acme.test" });
  assert.equal((await signIn("first")).json.member.id, member.id);
});

test("password and link work beside it", async () => {
  const login = person("dual", ["acme"]);
  const { member } = (await signIn(login)).json;
  assert.ok(await isSignedIn(await managed.signedIn({ id: member.id, organizationId })));
  const body = { email: "dual@acme.test", password: PASSWORD };
  assert.equal((await managed.ask(null, "POST", "/session", { body })).status, 200);
});

test("claims in the ID token need no second request; an unverified address counts where it is trusted; nobody is added where that is off", async (t) => {
  const strictly = await startService({ addsMembers: false, trustsEmail: true });
  const { managed: strict } = strictly;
  t.after(async () => {
    await strict.close();
    provider.register(managed.baseUrl);
  });
  provider.register(strict.baseUrl, { hasShortTokens: false });
  const login = person("newcomer", ["acme"], { email_verified: false });
  const { length } = provider.requests;
  assertRejected(await signIn(login, {}, strict), 403, /newcomer@acme\.test is not a member here yet/);
  assert.ok(!provider.requests.slice(length).some((request) => request.includes("/me")));
  await strict.newMember(strictly.organizationId, "owner", "newcomer@acme.test");
  await strict.newMember(strictly.organizationId, "owner");
  const reply = await signIn(login, {}, strict);
  assert.deepEqual([reply.status, reply.json.role], [200, "member"]);
});

test("as the only way in it ends passwords and links, but for owners and operators", async (t) => {
  const { managed: only, organizationId: id } = await startService({ isOnlyWay: true });
  t.after(() => only.close());
  assert.deepEqual((await only.ask(null, "GET", "/sign-in")).json.passwords, false);
  const [owner, member] = [await only.newMember(id, "owner"), await only.newMember(id, "member")];
  const body = { email: owner.email, password: PASSWORD };
  const words = /Sign in with Acme login/;
  assertRejected(await only.ask(null, "POST", "/session", { body }), 403, words);
  const link = (of: { id: string }) =>
    only.ask(only.operator, "POST", `/organizations/${id}/members/${of.id}/sign-in-link`);
  assertRejected(await link(member), 400, /Only owners get sign-in links here; others sign in with Acme login/);
  const { secret } = (await link(owner)).json;
  const redeem = (more: object) => only.ask(null, "POST", "/sign-in-links/redeem", { body: { secret, ...more } });
  assertRejected(await redeem({ password: PASSWORD }), 403, words);
  const redeemed = await redeem({});
  assert.equal(redeemed.status, 200, redeemed.text);
  const set = { body: { new_password: PASSWORD } };
  assertRejected(await only.ask(sessionOf(redeemed), "POST", "/session/password", set), 403, words);
  const operator = (await only.ask(only.operator, "POST", "/operators/sign-in-link", { body: { name: "Ada" } })).json;
  assert.equal(
    (await only.ask(null, "POST", "/sign-in-links/redeem", { body: { secret: operator.secret } })).status,
    200,
  );
  // A link of before, whose member is no owner any more.
  const demoted = (await link(owner)).json;
  await only.newMember(id, "owner");
  const path = `/organizations/${id}/members/${owner.id}`;
  await only.ask(only.operator, "POST", path, { body: { role: "member" } });
  const late = await only.ask(null, "POST", "/sign-in-links/redeem", { body: { secret: demoted.secret } });
  assertRejected(late, 400, /link is not valid any more/);
});

test("without single sign-on there is nothing to begin", async (t) => {
  const plain = await ManagedService.start();
  t.after(() => plain.close());
  assert.deepEqual((await plain.ask(null, "GET", "/sign-in")).json, { passwords: true, single_sign_on: null });
  assert.equal((await plain.ask(null, "POST", "/single-sign-on")).status, 400);
  assert.equal((await plain.ask(null, "POST", "/single-sign-on/finish", { body: { query: "code=1" } })).status, 400);
});
