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
