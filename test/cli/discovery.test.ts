// `discover: true` in a running service: its models are those of the server, from the start on and after a reload.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { until } from "../support/until.ts";
import { openCommandLine } from "./command-line.ts";
import { startService } from "./service-process.ts";

const line = openCommandLine();
after(() => line.remove());

let served = ["one", "two"];
const server = createServer((_, response) => void response.end(JSON.stringify({ data: served.map((id) => ({ id })) })));
server.listen(0, "127.0.0.1");
await once(server, "listening");
after(() => server.closeAllConnections());
after(() => server.close());
const { port } = server.address() as AddressInfo;

const listed = async () => {
  const { data } = await line.json<{ data: { id: string; discovered?: boolean }[] }>("models", "list");
  return data.map(({ id, discovered }) => (discovered ? id : `${id} (of the file)`));
};

test("the server's models are served, and those of a reload; a server that is silent delays neither for long", async () => {
  const silent = createServer(() => {});
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  const other = (silent.address() as AddressInfo).port;
  const write = (more: string) =>
    writeFileSync(
      join(line.folder, "turngate.yaml"),
      `catalog: none\nmodels: [{ id: local/two }]\nproviders:\n  local: { type: openai-compatible, base_url: "http://127.0.0.1:${port}", discover: true }\n${more}`,
    );
  write(`  silent: { type: openai-compatible, base_url: "http://127.0.0.1:${other}", discover: true }\n`);
  const service = await startService(line, { MANAGE_PORT: "0" });
  try {
    const expected = ["local/two (of the file)", "local/one"];
    assert.deepEqual(await listed(), expected);
    write("");
    served = ["two", "three"];
    service.child.kill("SIGHUP");
    await until("the reload", async () => (await listed()).includes("local/three"));
    // A list that lacks a model for the first time takes it away at the next look.
    assert.ok((await listed()).includes("local/one"));
    service.child.kill("SIGHUP");
    await until("the next look", async () => !(await listed()).includes("local/one"));
    assert.deepEqual(await listed(), ["local/two (of the file)", "local/three"]);
  } finally {
    service.child.kill("SIGTERM");
    await service.ended;
    silent.closeAllConnections();
    silent.close();
  }
  assert.deepEqual(await listed(), ["local/two (of the file)", "local/three"]);
});
