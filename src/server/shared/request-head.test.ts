import assert from "node:assert/strict";
import { test } from "node:test";
import { isValidHost } from "./request-head.ts";

test("a host is a name, an IPv4 or an IPv6 address, with or without a port", () => {
  for (const host of [
    "x",
    "a.test",
    "a.test:8080",
    "a_b-c.test:",
    "127.0.0.1:0",
    "[::1]",
    "[2001:db8::1]:65535",
    "%41",
  ]) {
    assert.ok(isValidHost(host), host);
  }
});

test("whatever else stands in a Host header is none", () => {
  const others = ["", ":80", "a b", "a.test/@x", "a.test#", "a.test?", "user@a.test", "[::1", "[::1]x", "[x]", "[]"];
  for (const host of [
    ...others,
    "::1",
    "a.test:99999",
    "a.test:8a",
    "a:1:2",
    "http://a",
    "a\\b",
    "%4",
    "é.test",
    "a\tb",
    "<a>",
  ]) {
    assert.ok(!isValidHost(host), host);
  }
});
