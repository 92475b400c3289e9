// `turngate notify` as a process of its own.
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type CommandLine, openCommandLine, readOutcome } from "../../test/cli/command-line.ts";

let line: CommandLine;
/** The interface of an operator's token, with a feed without events. */
const feed = createServer(({ url = "", headers }, response) => {
  if (url.startsWith("/manage/") && headers.authorization !== "Bearer adm_x") response.statusCode = 401;
  response.end('{"organization": null, "data": [], "has_more": false}');
});
before(async () => {
  line = openCommandLine();
  await once(feed.listen(0, "127.0.0.1"), "listening");
  const { port } = feed.address() as AddressInfo;
  const config = `manage_url: http://127.0.0.1:${port}\ntoken: adm_x\nstate_file: STATE\ntargets: {a: {type: slack, url: "http://127.0.0.1:1/"}}\n`;
  for (const [name, state] of [
    ["notify.yaml", "state.json"],
    ["other.yaml", "other.json"],
    ["nowhere.yaml", "nowhere/state.json"],
  ] as const) {
    writeFileSync(join(line.folder, name), config.replace("STATE", state));
  }
  const hook = config.replace("http://127.0.0.1:1/", `http://127.0.0.1:${port}/hook`);
  writeFileSync(join(line.folder, "hook.yaml"), hook);
  writeFileSync(join(line.folder, "wrong.yaml"), hook.replace("adm_x", "adm_wrong"));
});
after(() => {
  feed.closeAllConnections();
  feed.close();
  line.remove();
});

const children: ChildProcess[] = [];
after(() => children.forEach((child) => child.kill("SIGKILL")));

function spawn(config: string): ChildProcess {
  const child = line.start(["notify", "--config", config]);
  children.push(child);
  return child;
}

/** Resolves when it delivers. */
async function start(config: string) {
  const child = spawn(config);
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  await new Promise<void>((resolve, reject) => {
    let said = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes("Notifies a of the events")) resolve();
    });
    child.once("exit", () => reject(new Error(`it ended: ${errors}`)));
  });
  return child;
}

async function stop(child: ChildProcess, signal: "SIGTERM" | "SIGKILL") {
  const exited = once(child, "exit");
  child.kill(signal);
  return (await exited)[0] as number | null;
}

test("a second process with one state file ends with an error; a killed one leaves it free", async () => {
  const first = await start("notify.yaml");
  const { code, stdout, stderr } = await readOutcome(spawn("notify.yaml"));
  assert.deepEqual(
    [code, stdout, stderr],
    [1, "", "error: another turngate notify is running with the state state.json.\n"],
  );
  assert.equal(await stop(await start("other.yaml"), "SIGTERM"), 0, "another state file");
  await stop(first, "SIGKILL");
  assert.equal(await stop(await start("notify.yaml"), "SIGTERM"), 0);
});

test("a state file where none can be made is an error of the start", async () => {
  const { code, stderr } = await readOutcome(spawn("nowhere.yaml"));
  assert.equal(code, 1);
  assert.match(stderr, /^error: nowhere\/state\.json\.lock can't be locked: [^\n]+\n$/);
});

test("--test reads the feed too: a wrong token fails it, though the notices arrive", async () => {
  const run = async (config: string) => {
    const { code, stdout, stderr } = await line.run(["notify", "--test", "--json", "--config", config]);
    return { code, stderr, rows: JSON.parse(stdout).map(({ type, ok }: { type: string; ok: boolean }) => [type, ok]) };
  };
  const reached = [
    ["feed", true],
    ["slack", true],
  ];
  assert.deepEqual(await run("hook.yaml"), { code: 0, stderr: "", rows: reached });
  assert.deepEqual(await run("wrong.yaml"), {
    code: 1,
    stderr: "error: the feed of events cannot be read.\n",
    rows: [
      ["feed", false],
      ["slack", true],
    ],
  });
  assert.match(
    (await line.run(["notify", "--test", "--config", "notify.yaml"])).stderr,
    /^error: the test notice did not reach a\.\n$/,
  );
});
