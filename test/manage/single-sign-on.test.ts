// Single sign-on against a real OpenID provider: who gets in, as what, and what is said to the others.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import fc from "../support/fast-check.ts";
import type { SingleSignOnConfig } from "../../src/config/single-sign-on.ts";
import type { SignInPolicy, SignInRule } from "../../src/core/access/single-sign-on.ts";
import type { Reply } from "../support/http-client.ts";
import { CLIENT_ID, CLIENT_SECRET, type OpenIdProvider, startOpenIdProvider } from "../support/openid-provider.ts";
import { type Identity, ManagedService, PASSWORD } from "./managed-service.ts";

const RULES: readonly SignInRule[] = [
  { role: "operator", group: "platform" },
  { role: "owner", group: "acme-owners", organization: "Managed 1" },
  { role: "admin", group: "acme-admins", organization: "Managed 1" },
  { role: "member", group: "other", organization: "Managed 2" },
  { role: "member", group: "acme", organization: "Managed 1" },
  { role: "member", group: "lost", organization: "Nowhere" },
];

let provider: OpenIdProvider;
let managed: ManagedService;
let organizationId: string;
let otherId: string;
before(async () => {
  provider = await startOpenIdProvider();
  managed = await startService();
  provider.register(managed.baseUrl);
});
after(async () => {
  await managed.close();
  await provider.close();
});
beforeEach(async () => {
  provider.intercept = () => false;
  // Sign-ins are allowed again.
  await managed.service.clock.advance(60_000);
});

function configOf(policy: Partial<SignInPolicy> = {}, client: Partial<SingleSignOnConfig> = {}): SingleSignOnConfig {
  return {
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    scopes: ["openid", "email", "groups"],
    ...client,
    policy: {
      name: "Acme login",
      issuer: provider.issuer,
      claims: { email: "email", groups: "groups" },
      trustsEmail: false,
      addsMembers: true,
      isOnlyWay: false,
      rules: RULES,
      ...policy,
    },
  };
}

/** A service with two organizations that the rules name. */
async function startService(policy: Partial<SignInPolicy> = {}, client: Partial<SingleSignOnConfig> = {}) {
  const started = await ManagedService.start({ singleSignOn: configOf(policy, client) });
  organizationId = await started.newOrganization();
  otherId = await started.newOrganization();
  return started;
}

interface Begun {
  readonly url: string;
  readonly cookie: string;
}

async function begin(body: object = {}, service = managed): Promise<Begun> {
  const { status, json, text, headers } = await service.ask(null, "POST", "/single-sign-on", { body });
  assert.equal(status, 200, text);
  return { url: json.url, cookie: headers["set-cookie"]?.split(";")[0] ?? "" };
}

function finish(query: string, cookie: string, service = managed): Promise<Reply> {
  return service.ask(null, "POST", "/single-sign-on/finish", { body: { query }, headers: { cookie } });
}

/** A whole sign-in. */
async function signIn(login: string | null, body: object = {}, service = managed): Promise<Reply> {
  const { url, cookie } = await begin(body, service);
  return finish(await provider.visit(url, login), cookie, service);
}

function person(login: string, groups: unknown, more: object = {}): string {
  provider.people.set(login, { email: `${login}@acme.test`, email_verified: true, groups, ...more });
  return login;
}

/** The session of a reply, whose cookies come as one text. */
function sessionOf({ headers, json }: Reply): Identity {
  return { cookie: /turngate_session=[^;]+/.exec(headers["set-cookie"] ?? "")?.[0] ?? "", csrf: json.csrf_token };
}

async function isSignedIn(who: Identity): Promise<boolean> {
  return (await managed.ask(who, "GET", "/session")).status === 200;
}

/** Checks a rejection: its status, that it names no internals, and that nobody is signed in. */
function assertRejected({ status, json, headers, text }: Reply, expected: number, words: RegExp): void {
  assert.equal(status, expected, text);
  assert.match(json.error.message, words);
  assert.doesNotMatch(text, /localhost|ECONN|OAUTH|secret with|invalid_grant|<b>/);
  assert.equal(headers["set-cookie"], undefined);
}

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

test("what the browser kept is needed, fresh, whole and of this sign-in", async () => {
  const login = person("eve", ["acme"]);
  const one = await begin();
  const other = await begin();
  const query = await provider.visit(one.url, login);
  const words = /took too long, or was begun in another window/;
  assertRejected(await finish(query, ""), 400, words);
  assertRejected(await finish(query, other.cookie), 400, words);
  assertRejected(await finish(query, `${one.cookie}; ${other.cookie}`), 400, words);
  assertRejected(await finish(query, `${one.cookie.slice(0, -4)}AAAA`), 400, words);
  assertRejected(await finish(query, "turngate_sign_in=x"), 400, words);
  await managed.service.clock.advance(10 * 60_000);
  assertRejected(await finish(query, one.cookie), 400, words);
});

test("a code signs in once, and whatever else the query says is no code", async () => {
  const { url, cookie } = await begin();
  const query = await provider.visit(url, person("once", ["acme"]));
  assert.equal((await finish(query, cookie)).status, 200);
  assertRejected(await finish(query, cookie), 400, /took too long/);
  const next = await begin();
  const state = new URL(next.url).searchParams.get("state") ?? "";
  const of = (text: string, issuer = provider.issuer) =>
    finish(`${text}&state=${state}&iss=${encodeURIComponent(issuer)}`, next.cookie);
  assertRejected(await of("code=forged"), 400, /took too long/);
  assertRejected(await of("nothing=1"), 400, /cannot be trusted/);
  assertRejected(await of("code=a&code=b"), 400, /cannot be trusted/);
  assertRejected(await of("code=a", "http://evil.test"), 400, /cannot be trusted/);
  assertRejected(await of("error=access_denied&error_description=%3Cb%3E"), 400, /did not agree/);
  assertRejected(await of("error=temporarily_unavailable"), 400, /does not answer properly/);
  assertRejected(await of("error=%00%ff"), 400, /refused|cannot be trusted/);
});

test("no query makes it respond with 5xx", async () => {
  const parts = fc.oneof(
    fc.constantFrom("code", "state", "iss", "error", "id_token", "response", "%00", "%ff", ""),
    fc.string(),
  );
  const query = fc
    .array(fc.tuple(parts, parts))
    .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join("&"));
  const { url, cookie } = await begin();
  const state = new URL(url).searchParams.get("state") ?? "";
  await fc.assert(
    fc.asyncProperty(query, fc.boolean(), async (text, isOurs) => {
      // Past the limit of attempts.
      await managed.service.clock.advance(4000);
      const { status, text: answer } = await finish(isOurs ? `state=${state}&${text}` : text, cookie);
      assert.ok(status >= 400 && status < 500, answer);
    }),
    { numRuns: 100 },
  );
});

test("a person who cancels is told so", async () => {
  assertRejected(await signIn(null), 400, /did not agree to sign in/);
});

/** Answers the requests to a path in place of the provider. */
function replace(path: string, answer: (response: ServerResponse) => void): void {
  provider.intercept = ({ url }, response) => {
    if (!url?.startsWith(path)) return false;
    answer(response);
    return true;
  };
}

for (const [name, answer, words] of [
  [
    "an error of its own",
    (response: ServerResponse) => response.writeHead(500).end("boom"),
    /does not answer properly/,
  ],
  [
    "no JSON",
    (response: ServerResponse) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
    /properly/,
  ],
  ["half an answer", (response: ServerResponse) => response.destroy(), /does not answer properly/],
  [
    "more than it should",
    (response: ServerResponse) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(`{"a": "${"x".repeat(1024 * 1024)}"}`);
    },
    /does not answer properly/,
  ],
  [
    "a redirect to another place",
    (response: ServerResponse) => response.writeHead(302, { location: "http://169.254.169.254/" }).end(),
    /does not answer properly/,
  ],
  [
    "tokens that nobody signed",
    (response: ServerResponse) => {
      const part = (content: object) => Buffer.from(JSON.stringify(content)).toString("base64url");
      const token = `${part({ alg: "none" })}.${part({ sub: "eve", aud: CLIENT_ID })}.`;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ access_token: "a", token_type: "bearer", id_token: token }));
    },
    /cannot be trusted/,
  ],
] as const) {
  test(`the provider's token endpoint answers with ${name}`, async () => {
    const { url, cookie } = await begin();
    const query = await provider.visit(url, person("ada", ["acme"]));
    replace("/token", answer);
    assertRejected(await finish(query, cookie), 400, words);
    provider.intercept = () => false;
  });
}

test("keys and the discovery document are read once for many sign-ins", async () => {
  await signIn(person("ada", ["acme"]));
  const { length } = provider.requests;
  await signIn("ada");
  const later = provider.requests.slice(length).filter((request) => /jwks|well-known/.test(request));
  assert.deepEqual(later, []);
});

test("a provider that is away is asked again by the next sign-in, and a wrong secret is the operator's to mend", async (t) => {
  const fresh = await startService({}, { clientSecret: "wrong" });
  t.after(() => fresh.close());
  provider.intercept = (_, response) => Boolean(response.writeHead(503).end());
  assertRejected(await fresh.ask(null, "POST", "/single-sign-on"), 400, /does not answer properly/);
  provider.intercept = () => false;
  provider.register(fresh.baseUrl);
  const reply = await signIn(person("ada", ["acme"]), {}, fresh);
  provider.register(managed.baseUrl);
  assertRejected(reply, 400, /An operator has to check its client id and secret/);
  assert.doesNotMatch(JSON.stringify(fresh.service.logged), /wrong|client secret/);
});

test("claims in the ID token need no second request; an unverified address counts where it is trusted; nobody is added where that is off", async (t) => {
  const strict = await startService({ addsMembers: false, trustsEmail: true });
  t.after(async () => {
    await strict.close();
    provider.register(managed.baseUrl);
  });
  provider.register(strict.baseUrl, { hasShortTokens: false });
  const login = person("newcomer", ["acme"], { email_verified: false });
  const { length } = provider.requests;
  assertRejected(await signIn(login, {}, strict), 403, /newcomer@acme\.test is not a member here yet/);
  assert.ok(!provider.requests.slice(length).some((request) => request.includes("/me")));
  await strict.newMember(organizationId, "owner", "newcomer@acme.test");
  await strict.newMember(organizationId, "owner");
  const reply = await signIn(login, {}, strict);
  assert.deepEqual([reply.status, reply.json.role], [200, "member"]);
});

test("as the only way in it ends passwords and links, but for owners and operators", async (t) => {
  const only = await startService({ isOnlyWay: true });
  t.after(() => only.close());
  assert.deepEqual((await only.ask(null, "GET", "/sign-in")).json.passwords, false);
  const [owner, member] = [
    await only.newMember(organizationId, "owner"),
    await only.newMember(organizationId, "member"),
  ];
  const body = { email: owner.email, password: PASSWORD };
  const words = /Sign in with Acme login/;
  assertRejected(await only.ask(null, "POST", "/session", { body }), 403, words);
  const link = (of: { id: string }) =>
    only.ask(only.operator, "POST", `/organizations/${organizationId}/members/${of.id}/sign-in-link`);
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
  await only.newMember(organizationId, "owner");
  const path = `/organizations/${organizationId}/members/${owner.id}`;
  await only.ask(only.operator, "POST", path, { body: { role: "member" } });
  const late = await only.ask(null, "POST", "/sign-in-links/redeem", { body: { secret: demoted.secret } });
  assertRejected(late, 403, words);
});

test("without single sign-on there is nothing to begin", async (t) => {
  const plain = await ManagedService.start();
  t.after(() => plain.close());
  assert.deepEqual((await plain.ask(null, "GET", "/sign-in")).json, { passwords: true, single_sign_on: null });
  assert.equal((await plain.ask(null, "POST", "/single-sign-on")).status, 400);
  assert.equal((await plain.ask(null, "POST", "/single-sign-on/finish", { body: { query: "code=1" } })).status, 400);
});

test("another site can neither begin nor finish a sign-in, and finished ones are limited", async () => {
  const headers = { "sec-fetch-site": "cross-site" };
  assert.equal((await managed.ask(null, "POST", "/single-sign-on", { headers })).status, 403);
  const { url, cookie } = await begin();
  const query = await provider.visit(url, person("ada", ["acme"]));
  const finished = { body: { query }, headers: { cookie, ...headers } };
  assert.equal((await managed.ask(null, "POST", "/single-sign-on/finish", finished)).status, 403);
  const replies: number[] = [];
  for (let attempt = 0; attempt < 21; attempt++) replies.push((await finish("code=forged", cookie)).status);
  assert.deepEqual([replies[19], replies[20]], [400, 429]);
});
