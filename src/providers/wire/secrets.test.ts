import assert from "node:assert/strict";
import test from "node:test";
import { hideSecrets, secretsOf, secretsOfUrl } from "./secrets.ts";

const TOKEN = "ya29.a0AfH6SMBx-4Q_9zKd";

test("a secret is redacted wherever it stands, and so is a part that a server quotes", () => {
  const hidden = (text: string) => hideSecrets(text, [TOKEN]);
  assert.equal(hidden(`${TOKEN} or ${TOKEN}`), "[redacted] or [redacted]");
  assert.equal(hidden(`token ${TOKEN.slice(0, 14)}… is bad`), "token [redacted]… is bad");
  assert.equal(hidden(`token …${TOKEN.slice(-12)}`), "token …[redacted]");
  assert.equal(hidden(`token ya29…${TOKEN.slice(-4)} is bad`), `token ya29…${TOKEN.slice(-4)} is bad`);
});

test("a text without secrets stays, and so do words that short keys occur in", () => {
  assert.equal(hideSecrets("ollama is none the wiser", ["ollama", "none", TOKEN]), "ollama is none the wiser");
  assert.equal(hideSecrets("", [TOKEN]), "");
});

test("a header is secret with its words, and Basic with what it encodes", () => {
  for (const [value, quoted] of [
    [`Bearer ${TOKEN}`, TOKEN],
    ["Bearer t0ken-of8", "t0ken-of8"],
    ["session=abcd1234; other=efgh5678", "efgh5678"],
    [`Basic ${btoa("gateway:pass-word")}`, "pass-word"],
  ] as const) {
    const secrets = secretsOf(["X-Any", value]);
    assert.equal(hideSecrets(`bad: ${quoted}!`, secrets), "bad: [redacted]!");
    assert.equal(hideSecrets(value, secrets), "[redacted]");
  }
  assert.equal(hideSecrets("api.example.com", secretsOf(["host", "api.example.com"])), "api.example.com");
});

test("plain words of headers are not secret, nor what headers say of a request", () => {
  const authorization =
    "AWS4-HMAC-SHA256 Credential=AKIA0123456789/20261129, SignedHeaders=host, Signature=fe0123456789";
  const headers = Object.entries({
    "X-Title": "Support assistant 2026-gateway",
    "anthropic-beta": "context-1m-2025-08-07",
    "OpenAI-Project": "proj_0123456789abcdef",
    "x-amz-date": "20261129T174132Z",
    "X-Purpose": "an assistant of our documentation",
    authorization,
  }).flat();
  const hidden = (text: string) => hideSecrets(text, secretsOf(headers));
  for (const text of [
    "'assistant' must be followed by documentation of a gateway",
    "context-1m-2025-08-07 is unknown to proj_0123456789abcdef",
    "Credential should be scoped, Signature expired: 20261129T174132Z",
  ])
    assert.equal(hidden(text), text);
  assert.equal(
    hidden("an assistant of our documentation: AKIA0123456789/20261129, fe0123456789"),
    "[redacted]: [redacted], [redacted]",
  );
});

test("a token without a digit is secret behind a scheme or a name, and a long one anywhere", () => {
  for (const [value, token] of [
    ["Bearer opaquetoken", "opaquetoken"],
    ['Token token="opaquetoken"', "opaquetoken"],
    ["team=red; key=opaquetoken", "opaquetoken"],
    ["Custom opaquetokenofletters", "opaquetokenofletters"],
  ] as const)
    assert.equal(hideSecrets(`bad: ${token}!`, secretsOf(["X-Any", value])), "bad: [redacted]!");
});

test("the beginning of a short token is secret behind its scheme", () => {
  const secrets = secretsOf(["authorization", "Bearer opaquetoken"]);
  assert.equal(hideSecrets("Bearer opaquet… is bad", secrets), "[redacted]… is bad");
});

test("models, deployments and projects in a path are not secret", () => {
  const secrets = secretsOfUrl(new URL("https://h/v1/projects/my-project-123456/deployments/gpt-4o-2024-11-20"));
  assert.deepEqual(secrets.join(""), "");
});

test("a base URL is secret in the values of its query, as written and decoded, and in tokens of its path", () => {
  const url = new URL(
    "https://h/v1/compatible-mode/0123456789abcdef0/openai?api-version=2026-11-preview&key=a%2Fbcdefgh&bare-token",
  );
  const hidden = (text: string) => hideSecrets(text, secretsOfUrl(url));
  assert.equal(
    hidden("POST /v1/compatible-mode/0123456789abcdef0/openai"),
    "POST /v1/compatible-mode/[redacted]/openai",
  );
  assert.equal(hidden("a%2Fbcdefgh, a/bcdefgh, bare-token"), "[redacted], [redacted], [redacted]");
  assert.equal(hidden("2026-11-preview is unknown"), "2026-11-preview is unknown");
});
