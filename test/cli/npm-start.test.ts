// `npm start` passes signals on to the service, although npm starts it by a shell, which would not.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../support/until.ts";
import { readOutcome } from "./command-line.ts";
import { patiently } from "./patiently.ts";
import { readGreeting } from "./service-process.ts";

const CLONE = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "turngate-npm-"));
after(() => rmSync(folder, { recursive: true, force: true }));
// npm runs its scripts in the clone's folder, where tests must not read turngate.yaml.
const configFile = join(folder, "turngate.yaml");
writeFileSync(configFile, "providers: {simulated: {type: simulated}}\n");

const ways: readonly (readonly [name: string, send: (npm: number) => void])[] = [
  ["SIGTERM to npm", (npm) => process.kill(npm, "SIGTERM")],
  ["SIGINT to npm", (npm) => process.kill(npm, "SIGINT")],
  // The terminal's Ctrl-C, PM2 and systemd signal every process, and npm passes its own copy on.
  ["SIGINT to npm and all below it", (npm) => process.kill(-npm, "SIGINT")],
  ["SIGTERM to npm and all below it", (npm) => process.kill(-npm, "SIGTERM")],
];
for (const [index, [name, send]] of ways.entries()) {
  test(`${name} lets the running turn of \`npm start\` finish, and nothing stays`, async () => {
    const npm = startByNpm(join(folder, `data-${index}`));
    const npmEnded = once(npm, "exit");
    const { said, find, greeted, ended } = await untilStarted(npm);
    const { baseUrl, firstKey } = readGreeting(greeted, CLONE);
    const service = Number(find(/"process":(\d+)/));
    try {
      const running = await patiently(() =>
        fetch(`${baseUrl}/responses`, {
          method: "POST",
          headers: { authorization: `Bearer ${firstKey}` },
          body: JSON.stringify({ model: "simulated/echo", input: "/wait 1500\nstill here", stream: true }),
        }),
      );
      // The reply's headers are sent once the response runs.
      send(npm.pid ?? 0);
      assert.match(await running.text(), /^event: response\.completed$/m);
      const [code] = await npmEnded;
      assert.throws(() => process.kill(service, 0), { code: "ESRCH" });
      assert.equal(code, 0);
      await ended;
      assert.match(said(), /"event":"service\.stopped"}\n$/);
    } finally {
      for (const id of [npm.pid ?? 0, service]) end(id);
    }
  });
}

/** In a process group of its own, as a shell starts it. */
function startByNpm(dataFolder: string): ChildProcess {
  return spawn("npm", ["start"], {
    cwd: CLONE,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: process.env["HOME"] ?? folder,
      PORT: "0",
      DATABASE_URL: `sqlite:${join(dataFolder, "turngate.db")}`,
      TURNGATE_CONFIG: configFile,
    },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** The output until the service is up, and a way to read more. */
async function untilStarted(npm: ChildProcess) {
  const ended = readOutcome(npm);
  let text = "";
  let greeted = "";
  npm.stderr?.on("data", (chunk: Buffer) => (greeted += chunk.toString()));
  await new Promise<void>((resolve, reject) => {
    npm.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('"service.started"')) resolve();
    });
    ended.then(({ stderr }) => reject(new Error(`npm ended: ${stderr}`)), reject);
  });
  await until("the greeting", () => /^Models: /m.test(greeted));
  return { said: () => text, greeted, find: (pattern: RegExp) => pattern.exec(text)?.[1] ?? assert.fail(text), ended };
}

function end(id: number): void {
  try {
    process.kill(id, "SIGKILL");
  } catch {
    // The process has exited.
  }
}
