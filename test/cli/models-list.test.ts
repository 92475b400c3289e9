// turngate models list: the prices of a model with targets.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { openCommandLine } from "./command-line.ts";

const line = openCommandLine();
after(() => line.remove());

test("a model with targets is listed with all of them, and with its prices from the lowest to the highest", async () => {
  const target = (name: string, input: number) =>
    `{ provider: simulated, upstream_model: ${name}, prices: { input: ${input}, output: 10 } }`;
  writeFileSync(
    join(line.folder, "turngate.yaml"),
    `providers: { simulated: { type: simulated } }
catalog: none
models:
  - id: team/fast
    targets: [${target("echo", 3)}, ${target("slow", 0.5)}, ${target("mirror", 2)}]
  - { id: team/plain, provider: simulated, upstream_model: echo, prices: { input: 1, output: 4 } }
`,
  );
  const { code, stdout, stderr } = await line.run(["models", "list"]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /team\/fast .*simulated\/echo, simulated\/slow, simulated\/mirror .* 0\.5–3 +10$/m);
  assert.match(stdout, /team\/plain .* 1 +4$/m);
});
