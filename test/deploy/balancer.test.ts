// The balancer of deploy/compose/three-nodes.yaml fits the nodes behind it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parse } from "yaml";
import { readConfig } from "../../src/config/config.ts";
import { DEFAULT_MANAGE_PORT, DEFAULT_PORT } from "../../src/config/environment.ts";
import { DEFAULT_LIMITS } from "../../src/contract/limits.ts";
import type { Loose } from "../support/http-client.ts";

const COMPOSE = new URL("../../deploy/compose/", import.meta.url);
const config = readFileSync(new URL("haproxy.cfg", COMPOSE), "utf8");
const threeNodes: Loose = parse(readFileSync(new URL("three-nodes.yaml", COMPOSE), "utf8"), { merge: true });

test("the balancer knows every node, and waits longer than a request or a stream may be silent", () => {
  for (const port of [DEFAULT_PORT, DEFAULT_MANAGE_PORT]) {
    const servers = [...config.matchAll(new RegExp(`server (\\S+) (\\S+):${port} `, "g"))].map(([, , host]) => host);
    assert.deepEqual(
      servers,
      Object.keys(threeNodes.services).filter((name) => name.startsWith("node-")),
    );
  }
  const { stream_ceiling_seconds: stream, non_streaming_wait_seconds: wait } = DEFAULT_LIMITS;
  for (const side of ["client", "server"]) {
    const seconds = Number(new RegExp(`timeout ${side} (\\d+)s`).exec(config)?.[1]);
    assert.ok(seconds > Math.max(stream, wait), side);
  }
});

test("the balancer names the people whom it passes on, and the nodes trust it alone", async () => {
  const [, management = ""] = config.split("\nbackend management\n");
  assert.match(management, /^ {4}option forwardfor$/m);
  const path = new URL("turngate.yaml", COMPOSE).pathname;
  const { trustedProxies } = await readConfig({ TURNGATE_CONFIG: path });
  const { networks, services } = threeNodes;
  const { ipv4_address: address } = services.balancer.networks.default;
  assert.deepEqual(trustedProxies, [{ family: "ipv4", address, prefix: 32 }]);
  const [{ subnet }] = networks.default.ipam.config;
  assert.equal(subnet.replace(/0\/24$/, ""), address.replace(/\d+$/, ""));
});
