// Single sign-on when the browser or the provider sends what it should not: an answer in plain words, and nobody is
// signed in.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import fc from "../support/fast-check.ts";
import { CLIENT_ID } from "../support/openid-provider.ts";
import { assertRejected, startSingleSignOn } from "./single-sign-on-stage.ts";

const { begin, finish, managed, person, provider, signIn, startService } = await startSingleSignOn();

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

test("an ID token counts only with the provider's signature, for this client, this sign-in and this time", async () => {
  person("forged", ["acme"]);
  const now = Math.floor(Date.now() / 1000);
  const attempt = async (claims: object, key: "own" | "other" = "own") => {
    await managed.service.clock.advance(10_000);
    const { url, cookie } = await begin();
    const query = await provider.visit(url, "forged");
    const good = { iss: provider.issuer, aud: CLIENT_ID, sub: "forged", iat: now, exp: now + 60 };
    const about = { email: "forged@acme.test", email_verified: true, groups: ["acme"] };
    const nonce = new URL(url).searchParams.get("nonce");
    const token = provider.sign({ ...good, ...about, nonce, ...claims }, key);
    replace("/token", (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ access_token: "a", token_type: "bearer", id_token: token }));
    });
    const reply = await finish(query, cookie);
    provider.intercept = () => false;
    return reply;
  };
  assert.equal((await attempt({})).json.member?.email, "forged@acme.test", "otherwise the following show nothing");
  assertRejected(await attempt({}, "other"), 400, /cannot be trusted/);
  for (const claims of [
    { aud: "another client" },
    { iss: "http://evil.test" },
    { nonce: "of another sign-in" },
    { nonce: undefined },
    { exp: now - 60 },
    { iat: undefined },
    { sub: undefined },
  ]) {
    assertRejected(await attempt(claims), 400, /cannot be trusted/);
  }
});

test("keys and the discovery document are read once for many sign-ins", async () => {
  await signIn(person("ada", ["acme"]));
  const { length } = provider.requests;
  await signIn("ada");
  const later = provider.requests.slice(length).filter((request) => /jwks|well-known/.test(request));
  assert.deepEqual(later, []);
});

test("a provider that is away is asked again by the next sign-in, and a wrong secret is the operator's to mend", async (t) => {
  const { managed: fresh } = await startService({}, { clientSecret: "wrong" });
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
