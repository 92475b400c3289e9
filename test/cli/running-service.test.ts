// What commands say of the service that runs on the embedded database, whose environment their shell lacks.
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { openCommandLine } from "./command-line.ts";
import { until } from "../support/until.ts";
import { startService } from "./service-process.ts";

const line = openCommandLine();
after(() => line.remove());
const FILE = join(line.folder, "data", "turngate.db.serving.json");
const configure = (id: string) =>
  writeFileSync(
    join(line.folder, "turngate.yaml"),
    `providers: { simulated: { type: simulated } }\ncatalog: none\nmodels: [{ id: ${id}, provider: simulated, upstream_model: echo }]\n`,
  );

async function listModels(): Promise<{ ids: readonly string[]; stderr: string }> {
  const { code, stdout, stderr } = await line.run(["models", "list", "--json"]);
  assert.equal(code, 0, stderr);
  return { ids: (JSON.parse(stdout) as { data: { id: string }[] }).data.map(({ id }) => id), stderr };
}

test("`models list` and `doctor` say what a running service has on, also after a reload and after its end", async () => {
  const own = await listModels();
  const service = await startService(line, { OPENAI_API_KEY: "CANARY-key", MANAGE_PORT: "0" });
  try {
    const { ids, stderr } = await listModels();
    const openai = ids.filter((id) => id.startsWith("openai/"));
    assert.ok(openai.length > 0);
    assert.deepEqual(
      own.ids,
      ids.filter((id) => !openai.includes(id)),
    );
    assert.match(stderr, new RegExp(`^The service at ${service.baseUrl} serves .*of openai \\(OPENAI_API_KEY\\)`));
    const { stdout } = await line.run(["doctor", "--json"]);
    const found = (JSON.parse(stdout) as { check: string; detail: string }[]).find(
      ({ check }) => check === "running service",
    );
    assert.match(found?.detail ?? "", /serves .*of openai \(OPENAI_API_KEY\)/);
    assert.equal(statSync(FILE).mode & 0o777, 0o600);
    assert.doesNotMatch(readFileSync(FILE, "utf8"), /CANARY/);
  } finally {
    service.child.kill("SIGTERM");
    await service.ended;
  }
  assert.equal(existsSync(FILE), false);
  assert.deepEqual(await listModels(), own);
});

test("a reload changes what they say, and a killed service is forgotten", async () => {
  configure("test/one");
  const service = await startService(line, { MANAGE_PORT: "0" });
  try {
    configure("test/two");
    service.child.kill("SIGHUP");
    await until("the reload", () => readFileSync(FILE, "utf8").includes("test/two"));
    configure("test/three");
    assert.deepEqual((await listModels()).ids, ["test/two"]);
  } finally {
    service.child.kill("SIGKILL");
    await service.ended;
  }
  assert.deepEqual((await listModels()).ids, ["test/three"]);
});
