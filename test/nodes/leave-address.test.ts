// Where a node that stops takes connections: a balancer without health checks asks another node only if one refuses.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { type CommandLine, openCommandLine } from "../cli/command-line.ts";
import { type ServiceProcess, startService } from "../cli/service-process.ts";
import { until } from "../support/until.ts";
import { databases } from "../store/postgres-databases.ts";

const lines: CommandLine[] = [];
const processes: ServiceProcess[] = [];

after(async () => {
  for (const { child } of processes) child.kill("SIGKILL");
  await Promise.all(processes.map(({ ended }) => ended));
  for (const line of lines) line.remove();
});

/** Nodes on a database of their own. */
async function startNodes(count: number): Promise<readonly ServiceProcess[]> {
  const line = openCommandLine();
  lines.push(line);
  const configuration = "providers: { simulated: { type: simulated } }\nlimits: { drain_notice_seconds: 1 }\n";
  writeFileSync(join(line.folder, "turngate.yaml"), configuration);
  const server = await databases.server();
  const variables = {
    DATABASE_URL: server.url(await databases.create()),
    TURNGATE_SECRET: "a secret of this test, long enough to be one",
    MANAGE_PORT: "0",
  };
  const nodes: ServiceProcess[] = [];
  for (let at = 0; at < count; at++) {
    // oxlint-disable-next-line no-await-in-loop -- the first one makes the key
    nodes.push(await startService(line, variables));
  }
  processes.push(...nodes);
  return nodes;
}

/** Begins a turn that goes on while its node stops; resolves when its client has its first event. */
async function beginTurn({ baseUrl }: ServiceProcess, key: string): Promise<Response> {
  const body = JSON.stringify({ model: "simulated/echo", input: "/wait 6000\nHello", stream: true });
  return fetch(`${baseUrl}/responses`, { method: "POST", body, headers: { authorization: `Bearer ${key}` } });
}

/** The status of a new connection's create, or the code with which it is refused. */
function create({ baseUrl }: ServiceProcess, key: string): Promise<number | string> {
  const body = JSON.stringify({ model: "simulated/echo", input: "Hello" });
  const headers = { authorization: `Bearer ${key}`, connection: "close" };
  return fetch(`${baseUrl}/responses`, { method: "POST", body, headers }).then(
    async (reply) => (await reply.arrayBuffer(), reply.status),
    (error: Error) => (error.cause as NodeJS.ErrnoException).code ?? "",
  );
}

/** All statuses that creates get until one is other than 200. */
async function createUntilOther(node: ServiceProcess, key: string): Promise<readonly (number | string)[]> {
  const seen: (number | string)[] = [];
  await until("the end of the notice", async () => {
    seen.push(await create(node, key));
    return seen.at(-1) !== 200;
  });
  return seen;
}

test("with another node, a node that stops serves during the notice, then refuses connections and finishes its turns", async () => {
  const [leaving, staying] = await startNodes(2);
  assert.ok(leaving !== undefined && staying !== undefined);
  const key = leaving.firstKey ?? "";
  const turn = await beginTurn(leaving, key);
  leaving.child.kill("SIGTERM");
  const seen = await createUntilOther(leaving, key);
  assert.equal(seen[0], 200);
  assert.equal(seen.at(-1), "ECONNREFUSED");
  assert.equal(leaving.child.exitCode, null, "it runs on");
  assert.equal((await fetch(`${leaving.manageOrigin}/healthz`)).status, 200);
  assert.equal(await create(staying, key), 200);
  assert.match(await turn.text(), /event: response\.completed/);
  assert.equal((await leaving.ended).code, 0);
});

test("the only node keeps its port for a 503 and for reads", async () => {
  const [only] = await startNodes(1);
  assert.ok(only !== undefined);
  const key = only.firstKey ?? "";
  const turn = await beginTurn(only, key);
  only.child.kill("SIGTERM");
  assert.equal((await createUntilOther(only, key)).at(-1), 503);
  const models = await fetch(`${only.baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(models.status, 200);
  assert.match(await turn.text(), /event: response\.completed/);
  assert.equal((await only.ended).code, 0);
});
