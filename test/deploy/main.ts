// Runs the steps of deploy/Dockerfile without Docker, and then the image (npm run test:image). Needs root on Linux, and the network.
//
// The base image is this machine's file system with the project's Node, seen through an overlay: what a step writes stays in a folder of its
// own. The last stage is then started as the Dockerfile says: another user, a read-only root, only /data writable. It has to pass the smoke test
// of every artefact (release/conformance.ts), its health check, and a stop in order.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkConformance } from "../../release/conformance.ts";
import { copyOf, environmentOf, type Instruction, listOf, readDockerfile, type Stage, wordsOf } from "./dockerfile.ts";

const CONTEXT = fileURLToPath(new URL("../../", import.meta.url));
/** Never copied into the image: .dockerignore. */
const IGNORED = ["/app/dist", "/app/generated", "/app/node_modules"];
const PORT = 18_080;
const PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

const work = mkdtempSync(join(tmpdir(), "turngate-image-"));

interface Root {
  readonly upper: string;
  readonly mounts: string;
}

/** A root whose changes are kept in `upper`; it is mounted anew by every command. */
function createRoot(name: string): Root {
  const folder = join(work, name);
  const [upper, scratch, merged] = ["upper", "work", "merged"].map((part) => join(folder, part)) as [
    string,
    string,
    string,
  ];
  for (const path of [upper, scratch, merged]) mkdirSync(path, { recursive: true });
  mkdirSync(join(upper, "usr/local/bin"), { recursive: true });
  cpSync(process.execPath, join(upper, "usr/local/bin/node"), { dereference: true });
  const mounts = [
    `mount -t overlay overlay -o lowerdir=/,upperdir=${upper},workdir=${scratch} ${merged}`,
    `mount --rbind /dev ${merged}/dev`,
    `mount -t proc proc ${merged}/proc`,
    `cd ${merged}`,
  ].join(" && ");
  return { upper, mounts };
}

/** The shell command that runs a script inside a root. */
function inside({ mounts }: Root, script: string, { more = "", as = "" } = {}): readonly string[] {
  return ["-mpf", "--kill-child", "sh", "-c", `${mounts}${more} && exec chroot . ${as} sh -c "$0"`, script];
}

function run(root: Root, script: string, variables: Readonly<Record<string, string>>): void {
  const { status } = spawnSync("unshare", inside(root, script), {
    stdio: ["ignore", "inherit", "inherit"],
    env: { PATH, HOME: "/root", ...variables },
  });
  if (status !== 0) throw new Error(`failed with ${status}: ${script}`);
}

function copy(root: Root, instruction: Instruction, workdir: string, stages: ReadonlyMap<string, Root>): void {
  const { from, sources, target } = copyOf(instruction);
  const origin = from === null ? CONTEXT : (stages.get(from)?.upper ?? "");
  const absolute = join(root.upper, target.startsWith("/") ? target : join(workdir, target));
  for (const source of sources) {
    const path = join(origin, source);
    const isFolder = statSync(path).isDirectory();
    const to = isFolder || !/\/$|\/\.$/.test(target) ? absolute : join(absolute, basename(source));
    cpSync(path, to, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (each) => !IGNORED.some((ignored) => each.endsWith(ignored)) || from !== null,
    });
  }
}

function build(stages: readonly Stage[]): { root: Root; variables: Readonly<Record<string, string>> } {
  const roots = new Map<string, Root>();
  for (const stage of stages) {
    const root = createRoot(stage.name ?? "image");
    roots.set(stage.name ?? "image", root);
    const variables: Record<string, string> = {};
    let workdir = "/";
    for (const instruction of stage.instructions) {
      const { word, rest } = instruction;
      if (word === "ENV")
        for (const [, name = "", value = ""] of rest.matchAll(/(\w+)=(\S+)/g)) variables[name] = value;
      if (word === "WORKDIR") mkdirSync(join(root.upper, (workdir = rest)), { recursive: true });
      if (word === "COPY") copy(root, instruction, workdir, roots);
      if (word === "RUN") run(root, `cd ${workdir} && ${rest}`, variables);
      console.log(`${stage.name ?? "image"}: ${word} ${rest.slice(0, 100)}`);
    }
  }
  return {
    root: roots.get("image") ?? createRoot("none"),
    variables: Object.fromEntries(environmentOf(stages.at(-1)!)),
  };
}

function start(root: Root, image: Stage, variables: Readonly<Record<string, string>>): ChildProcess {
  const [user = ""] = listOf(image, "USER").map(({ rest }) => rest);
  const [workdir = ""] = listOf(image, "WORKDIR").map(({ rest }) => rest);
  const words = [...listOf(image, "ENTRYPOINT"), ...listOf(image, "CMD")].flatMap(wordsOf);
  const command = `cd ${workdir} && exec ${words.join(" ")}`;
  const data = join(work, "data");
  mkdirSync(data, { recursive: true });
  const [uid, gid] = user.split(":");
  const more = ` && mount --bind ${data} data && chown ${user} data && mount -o remount,ro,bind . `;
  const as = `setpriv --reuid ${uid} --regid ${gid} --clear-groups --no-new-privs --bounding-set=-all`;
  return spawn("unshare", inside(root, command, { more, as }), {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH, ...variables, PORT: String(PORT), MANAGE_PORT: String(PORT + 1) },
  });
}

interface Service {
  said(): string;
  /** Tells process 1 of the namespace to end, as Docker does; resolves to its exit code. */
  stop(): Promise<number | null>;
}

/** Resolves when the service has started. */
async function begun(child: ChildProcess): Promise<Service> {
  let said = "";
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('"event":"service.started"')) resolve();
    });
    void ended.then((code) => reject(new Error(`the service ended with ${code}: ${said}`)));
  });
  return {
    said: () => said,
    stop: async () => {
      const [found = ""] = spawnSync("pgrep", ["-P", String(child.pid)], { encoding: "utf8" }).stdout.split("\n");
      process.kill(Number(found), "SIGTERM");
      return ended;
    },
  };
}

function assert(is: boolean, what: string): void {
  console.log(`${is ? "✓" : "✗"} ${what}`);
  if (!is) process.exitCode = 1;
}

try {
  const stages = readDockerfile();
  const image = stages.at(-1)!;
  const { root, variables } = build(stages);
  const secret = join(root.upper, "run/secrets");
  mkdirSync(secret, { recursive: true });
  writeFileSync(join(secret, "turngate_secret"), "a secret of 32 characters or more, from a file\n", { mode: 0o444 });
  const startedMs = performance.now();
  const begin = async () =>
    begun(start(root, image, { ...variables, TURNGATE_SECRET_FILE: "/run/secrets/turngate_secret" }));
  let service = await begin();
  assert(true, `the image starts as its user on a read-only root (${Math.round(performance.now() - startedMs)} ms)`);
  const [healthCheck] = listOf(image, "HEALTHCHECK");
  const [command = "", ...words] = wordsOf(healthCheck!);
  const isHealthy = () => spawnSync(command, words, { env: { ...process.env, PORT: String(PORT) } }).status === 0;
  assert(isHealthy(), "HEALTHCHECK succeeds while it runs");
  const apiKey = readFileSync(join(work, "data/first-api-key"), "utf8").trim();
  const [, process1 = ""] = /"process":(\d+),"event":"service\.started"/.exec(service.said()) ?? [];
  assert(process1 === "1", "Node is process 1");
  const stop = async () => {
    const code = await service.stop();
    const isInOrder = code === 0 && service.said().includes('"event":"service.stopped"');
    assert(isInOrder, `SIGTERM stops it in order (exit ${code})`);
  };
  const restart = async () => {
    await stop();
    service = await begin();
  };
  const [baseUrl, manageUrl] = [`http://127.0.0.1:${PORT}/v1`, `http://127.0.0.1:${PORT + 1}`];
  await checkConformance({ baseUrl, manageUrl, apiKey, restart }, (held) => assert(true, held));
  await stop();
  assert(!isHealthy(), "HEALTHCHECK fails when nothing runs");
} finally {
  rmSync(work, { recursive: true, force: true });
}
