import assert from "node:assert/strict";
import { test } from "node:test";
import { proxyFor } from "./proxies.ts";

const http = new URL("http://plain.proxy:3128");
const https = new URL("http://secure.proxy:3128");
const through = (url: string, exempt = "") => proxyFor(new URL(url), { http, https, exempt })?.hostname ?? null;

test("each scheme has its own proxy; without one, requests are direct", () => {
  assert.equal(through("https://api.test/v1"), "secure.proxy");
  assert.equal(through("http://api.test/v1"), "plain.proxy");
  assert.equal(proxyFor(new URL("https://api.test"), { http, https: null, exempt: "" }), null);
  assert.equal(proxyFor(new URL("http://api.test"), { http: null, https, exempt: "" }), null);
});

const exemptions: readonly (readonly [exempt: string, url: string, isExempt: boolean])[] = [
  ["*", "https://api.test", true],
  ["api.test", "https://api.test", true],
  ["API.Test.", "https://api.test", true],
  ["test", "https://api.test", true],
  [".test", "https://api.test", true],
  ["*.test", "https://api.test", true],
  ["pi.test", "https://api.test", false],
  ["other.test, api.test", "https://api.test", true],
  ["other.test  api.test", "https://api.test", true],
  ["api.test:443", "https://api.test", true],
  ["api.test:8443", "https://api.test", false],
  ["api.test:8080", "http://api.test:8080", true],
  ["127.0.0.1", "http://127.0.0.1:11434", true],
  ["0.0.1", "http://127.0.0.1:11434", false],
  ["10.0.0.0/8", "http://10.1.2.3", true],
  ["10.0.0.0/8", "http://11.1.2.3", false],
  ["10.0.0.0/99", "http://10.1.2.3", false],
  ["10.0.0.0/8", "http://ten.test", false],
  ["::1", "http://[::1]:8080", true],
  ["[::1]:8080", "http://[::1]:8080", true],
  ["[::1]:8081", "http://[::1]:8080", false],
  ["fd00::/8", "http://[fd12::1]", true],
  ["", "https://api.test", false],
  [",,", "https://api.test", false],
];
for (const [exempt, url, isExempt] of exemptions) {
  test(`NO_PROXY=${JSON.stringify(exempt)} ${isExempt ? "exempts" : "does not exempt"} ${url}`, () => {
    assert.equal(through(url, exempt) === null, isExempt);
  });
}

test("the metadata of a machine is asked directly", () => {
  const proxies = { http: new URL("http://proxy.test"), https: new URL("http://proxy.test"), exempt: "" };
  const direct = [
    "http://169.254.169.254/latest/api/token",
    "http://169.254.170.2/v2/credentials",
    "http://[fd00:ec2::254]/latest",
    "http://metadata.google.internal./computeMetadata/v1/",
  ];
  for (const url of direct) assert.equal(proxyFor(new URL(url), proxies), null, url);
  for (const url of ["http://169.253.1.1/", "https://sts.amazonaws.com/", "http://metadata.google.internal.test/"])
    assert.notEqual(proxyFor(new URL(url), proxies), null, url);
});
