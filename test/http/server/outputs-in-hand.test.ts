// The outputs of many responses at once, and the memory of the process that runs them. docs/decisions/outputs.md; F-44
// docs/reliability.md, A-5
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findPort, mintKey, ServiceProcess } from "../../crash/service-process.ts";

const MEGABYTE = 1024 * 1024;
const TURNS = 40;
const CONFIGURATION = `
providers: { simulated: { type: simulated } }
limits: { outputs_in_hand_bytes: ${32 * MEGABYTE} }
`;

test("many long outputs at once take bounded memory, and each is delivered", {
  skip: process.platform !== "linux",
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "turngate-outputs-"));
  writeFileSync(join(folder, "turngate.yaml"), CONFIGURATION);
  const [port, apiKey] = [await findPort(), await mintKey()];
  const service = new ServiceProcess({ folder, port, apiKey }, null);
  try {
    assert.ok((await service.listening) !== null, service.output);
    const before = peakBytes(service.pid);
    const replies = await Promise.all(Array.from({ length: TURNS }, () => create(port, apiKey)));
    for (const { status, length } of replies) {
      assert.equal(status, 200);
      assert.ok(length > 500, "a response, or one that is still running");
    }
    const grown = (peakBytes(service.pid) - before) / MEGABYTE;
    assert.ok(grown < 500, `${Math.round(grown)} MB more than at rest`);
  } finally {
    service.kill();
    await service.ended;
    rmSync(folder, { recursive: true });
  }
});

/** The most memory that a process has had. */
function peakBytes(pid: number | undefined): number {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}

function create(port: number, key: string): Promise<{ status: number | undefined; length: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; length: number }>();
  const headers = { authorization: `Bearer ${key}` };
  const asked = request({ agent: false, port, method: "POST", path: "/v1/responses", headers }, (reply) => {
    let length = 0;
    reply.on("data", (chunk: Buffer) => (length += chunk.length));
    reply.on("end", () => resolve({ status: reply.statusCode, length })).on("error", reject);
  });
  asked.on("error", reject);
  asked.end(JSON.stringify({ model: "simulated/large-output", input: "/stream 500 0 10000" }));
  return promise;
}
