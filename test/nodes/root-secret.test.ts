// The root secret is rotated while three nodes serve: no request of a key fails, before, during and after.
// docs/operations.md (Rotating the root secret)
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openCommandLine } from "../cli/command-line.ts";
import { type ServiceProcess, startService } from "../cli/service-process.ts";
import { request } from "../support/http-client.ts";
import { until } from "../support/until.ts";
import { databases } from "../store/postgres-databases.ts";

const line = openCommandLine();
const nodes: ServiceProcess[] = [];
after(async () => {
  for (const { child } of nodes) child.kill("SIGKILL");
  await Promise.all(nodes.map(({ ended }) => ended));
  line.remove();
});

const FORMER = "the former root secret, of more than 32 characters";
const NEXT = "the next root secret, of more than 32 characters";
const server = await databases.server();
const database = await databases.create();
const shared = { DATABASE_URL: server.url(database), MANAGE_PORT: "0" };
const ALONE = { ...shared, TURNGATE_SECRET: FORMER };
const BOTH = { ...shared, TURNGATE_SECRET: NEXT, TURNGATE_FORMER_SECRET: FORMER };
const AFTER = { ...shared, TURNGATE_SECRET: NEXT };

/** What a command writes, as JSON. */
async function run<T>(variables: Record<string, string>, ...words: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await line.run([...words, "--json"], variables);
  assert.equal(code, 0, `${stdout}${stderr}`);
  return JSON.parse(stdout);
}

/** Restarts a node; requests go to the others meanwhile. */
async function restart(at: number, variables: Record<string, string>): Promise<void> {
  const [leaving] = nodes.splice(at, 1);
  leaving?.child.kill("SIGTERM");
  await leaving?.ended;
  nodes.splice(at, 0, await startService(line, variables));
}

/** Sends requests of the keys to all nodes, until it is stopped; the result has the statuses other than 200. */
function ask(keys: readonly string[]) {
  const violations: string[] = [];
  const state = { isOver: false, asked: 0 };
  const askOn = async (key: string): Promise<void> => {
    while (!state.isOver) {
      const node = nodes[state.asked++ % nodes.length]!;
      try {
        const body = { model: "simulated/echo", input: "Hello" };
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const { status, text } = await request(node.baseUrl, "POST", "/v1/responses", { key, body });
        if (status !== 200) violations.push(`${status} ${text}`);
      } catch (error) {
        // The node has left while the request was on its way to it.
        if (nodes.includes(node)) violations.push(String(error));
      }
    }
  };
  const asking = Promise.all(keys.map(askOn));
  return async () => {
    state.isOver = true;
    await asking;
    assert.ok(state.asked > 20, `${state.asked} requests`);
    return violations;
  };
}

/** Signs an operator in on one node; returns the cookie. */
async function signIn(node: ServiceProcess, variables: Record<string, string>): Promise<string> {
  const { secret } = await run<{ secret: string }>(variables, "operator", "sign-in-link", "--name", "ada");
  const body = { secret };
  const headers = { "sec-fetch-site": "same-origin" };
  const reply = await request(node.manageOrigin, "POST", "/manage/api/sign-in-links/redeem", { headers, body });
  assert.equal(reply.status, 200, reply.text);
  return reply.headers["set-cookie"]?.split(";")[0] ?? "";
}
const sessionStatus = async (node: ServiceProcess, cookie: string) =>
  (await request(node.manageOrigin, "GET", "/manage/api/session", { headers: { cookie } })).status;

test("three nodes take a new root secret under load: keys go on, sessions end once", async () => {
  nodes.push(await startService(line, ALONE));
  const first = nodes[0]?.firstKey ?? "";
  nodes.push(...(await Promise.all([startService(line, ALONE), startService(line, ALONE)])));
  const mint = async (name: string) =>
    (await run<{ secret: string }>(ALONE, "keys", "create", "--org", "default", "--name", name)).secret;
  const second = await mint("second key");
  const unused = await mint("unused key");
  const stop = ask([first, second]);
  await restart(0, BOTH);
  await restart(1, BOTH);

  const early = await line.run(["secret", "rotate"], BOTH);
  assert.match(early.stderr, /^error: nodes run without the new root secret: \S+\. Restart them/);
  assert.match((await line.run(["secret", "status"], BOTH)).stdout, /not in use yet/);
  await restart(2, BOTH);
  const before = await signIn(nodes[0]!, BOTH);
  assert.equal(await sessionStatus(nodes[1]!, before), 200);

  // A node that died with the former one, when none was left to notice.
  await server.query(
    database,
    `insert into turngate.nodes (id, name, version, root_check, started_at_ms, lease_until_ms) values (1, 'dead', '0', 'former', 1, 2)`,
  );
  assert.equal((await run<{ rotated: boolean }>(BOTH, "secret", "rotate")).rotated, true);
  await until("each node uses the new one", () => nodes.every(({ said }) => said().includes('"root_secret.in_use"')));
  for (const node of nodes) assert.equal(await sessionStatus(node, before), 401);
  const session = await signIn(nodes[0]!, BOTH);
  for (const node of nodes) assert.equal(await sessionStatus(node, session), 200);
  await until("the keys that are used are hashed anew", async () => {
    return (await run<{ keys_left: number }>(BOTH, "secret", "status")).keys_left === 1;
  });
  for (const at of [0, 1, 2]) await restart(at, AFTER);
  for (const node of nodes) assert.equal(await sessionStatus(node, session), 200);
  assert.deepEqual(await stop(), []);
  const doctor = await line.run(["doctor"], AFTER);
  assert.match(doctor.stdout, /^secret +no +1 secret of keys and tokens were hashed with a former root secret/m);
  const rejected = await request(nodes[0]!.baseUrl, "GET", "/v1/models", { key: unused });
  assert.equal(rejected.status, 401);
});
