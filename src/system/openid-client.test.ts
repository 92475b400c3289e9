import assert from "node:assert/strict";
import { test } from "node:test";
import { SingleSignOnError } from "../ports/single-sign-on.ts";
import type { OutgoingFetch } from "../ports/outgoing-fetch.ts";
import { createOpenIdClient } from "./openid-client.ts";

const SETTINGS = { issuer: "https://login.test", clientId: "x", clientSecret: null, scopes: ["openid"] };
const DOCUMENT = {
  issuer: SETTINGS.issuer,
  authorization_endpoint: "https://login.test/a",
  token_endpoint: "https://login.test/t",
};

function clientWith(fetch: OutgoingFetch) {
  let now = 0;
  const client = createOpenIdClient(SETTINGS, { clock: { monotonicMs: () => now }, fetch, isComplete: () => true });
  return { client, pass: (milliseconds: number) => void (now += milliseconds) };
}

const describe = () =>
  new Response(JSON.stringify(DOCUMENT), { headers: { "content-type": "application/json", "set-cookie": "a=b" } });

test("a provider that stays silent is given up: every request has an end", async () => {
  let init: RequestInit = {};
  const { client } = clientWith((_, given) => {
    init = given;
    return Promise.reject(new DOMException("it took too long", "TimeoutError"));
  });
  await assert.rejects(
    client.begin("https://manage.test/"),
    (error) => error instanceof SingleSignOnError && error.failure === "unavailable",
  );
  assert.ok(init.signal instanceof AbortSignal);
  assert.equal(init.redirect, "manual");
});

test("concurrent sign-ins share one discovery, which holds for an hour; a failed one does not", async () => {
  let asked = 0;
  let isAway = true;
  const { client, pass } = clientWith((url) => {
    asked++;
    assert.equal(url, "https://login.test/.well-known/openid-configuration");
    return Promise.resolve(isAway ? new Response("away", { status: 503 }) : describe());
  });
  const begin = () => client.begin("https://manage.test/");
  await Promise.all([1, 2, 3].map(() => assert.rejects(begin())));
  assert.equal(asked, 1);
  isAway = false;
  const begun = await Promise.all([begin(), begin(), begin()]);
  assert.equal(asked, 2);
  const states = new Set(begun.map(({ kept }) => kept.state));
  assert.equal(states.size, 3);
  pass(3_599_999);
  await begin();
  assert.equal(asked, 2);
  pass(1);
  await begin();
  assert.equal(asked, 3);
});

test("a description of another issuer is not trusted", async () => {
  const { client } = clientWith(() => Promise.resolve(Response.json({ ...DOCUMENT, issuer: "https://evil.test" })));
  await assert.rejects(
    client.begin("https://manage.test/"),
    (error) => error instanceof SingleSignOnError && error.failure === "invalid",
  );
});
