// Nodes as processes of their own on which time passes faster, for cycles that the suite can afford.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { TestService } from "../support/service.ts";
import type { Ground, Victim } from "./cycles.ts";
import { databases } from "../store/postgres-databases.ts";

/** A lease lasts a second. */
const SPEED = 12;
const NODE = fileURLToPath(new URL("./fast-node.ts", import.meta.url));

/** A database with a key; none of its nodes has been started. */
export async function openFastNodes(): Promise<Ground> {
  const server = await databases.server();
  const database = await databases.create();
  const location = server.url(database);
  const service = await TestService.start({ database: { engine: "postgres", location } });
  const { key: apiKey } = service;
  await service.close();
  return { server, database, apiKey, speed: SPEED, start: () => start(location) };
}

async function start(location: string): Promise<Victim> {
  const child = fork(NODE, [location, String(SPEED)]);
  const ended = once(child, "exit");
  const [baseUrl] = await Promise.race([once(child, "message"), ended]);
  assert.equal(typeof baseUrl, "string", "the node ended at its start");
  return { child, baseUrl, ended };
}
