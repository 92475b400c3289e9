/**
 * Counts the files of src/ that run for one create: `node bench/files-of-a-create.ts [--list]`. A service on an empty folder, a simulated
 * model, V8's coverage between the warm create before and 50 ms after. docs/decisions/house.md
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

const SRC = fileURLToPath(new URL("../src/", import.meta.url));
const CALLS = { callCount: true, detailed: false };

const folder = mkdtempSync(join(tmpdir(), "turngate-files-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.chdir(folder);
Object.assign(process.env, { PORT: "0", MANAGE_PORT: "0", LOG_LEVEL: "silent" });

// Before the program is loaded: V8 counts the calls of what is compiled from now on.
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", CALLS);
const threads: string[] = [];
session.on("NodeWorker.attachedToWorker", ({ params }) => void threads.push(params.sessionId));
await session.post("NodeWorker.enable", { waitForDebuggerOnStart: false });

const { serve } = await import("../src/boot/serve.ts");
const { listenForSignals } = await import("../src/boot/on-signals.ts");
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;
const { baseUrl, apiKey } = await serve(listenForSignals());
process.stdout.write = write;

/** Asks one thread's inspector. */
async function ask(sessionId: string, method: string, params = {}): Promise<Coverage> {
  const message = JSON.stringify({ id: 1, method, params });
  const replied = once(session, "NodeWorker.receivedMessageFromWorker");
  await session.post("NodeWorker.sendMessageToWorker", { sessionId, message });
  const [{ params: reply }] = (await replied) as [{ readonly params: { readonly message: string } }];
  return (JSON.parse(reply.message) as { readonly result: Coverage }).result;
}

/** The files of which a function was called since the last take. */
function called({ result }: Coverage): string[] {
  const own = result.filter(({ url }) => url.startsWith(`file://${SRC}`));
  const run = own.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0));
  return run.map(({ url }) => url.slice(`file://${SRC}`.length));
}

async function create(): Promise<void> {
  const response = await fetch(`${baseUrl}/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey ?? ""}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "simulated/echo", input: "hello" }),
  });
  if (response.status !== 200) throw new Error(await response.text());
  await response.arrayBuffer();
}

async function take(): Promise<{ readonly main: readonly string[]; readonly all: readonly string[] }> {
  const main = called(await session.post("Profiler.takePreciseCoverage"));
  const others: string[] = [];
  for (const thread of threads) others.push(...called(await ask(thread, "Profiler.takePreciseCoverage")));
  return { main, all: [...new Set([...main, ...others])].sort() };
}

for (const thread of threads) {
  await ask(thread, "Profiler.enable");
  await ask(thread, "Profiler.startPreciseCoverage", CALLS);
}
await create();
// What the first create started in the background ends.
await sleep(2500);
await take();
await create();
await sleep(50);
const { main, all } = await take();
if (process.argv.includes("--list")) for (const file of all) console.log(main.includes(file) ? "main " : "     ", file);
console.log(`main thread: ${main.length} files, all threads: ${all.length}`);
process.exit(0);
