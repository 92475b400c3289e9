import assert from "node:assert/strict";
import { test } from "node:test";
import { read } from "../../test/support/config.ts";

test("addresses and ranges of both families are read, and there are none by default", async () => {
  const { trustedProxies } = await read("server: {trusted_proxies: [10.0.0.0/8, 192.0.2.7, 'fd00::/8', '::1']}");
  assert.deepEqual(trustedProxies, [
    { family: "ipv4", address: "10.0.0.0", prefix: 8 },
    { family: "ipv4", address: "192.0.2.7", prefix: 32 },
    { family: "ipv6", address: "fd00::", prefix: 8 },
    { family: "ipv6", address: "::1", prefix: 128 },
  ]);
  assert.deepEqual((await read("server: {port: 1}")).trustedProxies, []);
});

test("to trust every address is a warning", async () => {
  const { warnings } = await read("server:\n  trusted_proxies: [10.0.0.0/8, 0.0.0.0/0]\n");
  assert.match(warnings.join(), /:2: server.trusted_proxies has 0.0.0.0\/0: every client may then name any address/);
  assert.deepEqual((await read("server: {trusted_proxies: [10.0.0.0/8]}")).warnings, []);
});
