/** LiteLLM's proxy with its router, a peer: Python, stores nothing here. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Child, freePort, startChild } from "../process/child.ts";
import { freshPath } from "../process/work-directory.ts";

const REQUIREMENTS = join(import.meta.dirname, "litellm-requirements.txt");
const VERSION = /^litellm==(.+)$/m.exec(readFileSync(REQUIREMENTS, "utf8"))?.[1] ?? "";
const FOLDER = join(tmpdir(), `turngate-litellm-${VERSION}`);

/** Its imports alone take ten seconds. */
const READY_SECONDS = 120;

/** Installs it on first use, into a virtual environment in the temporary directory. Throws without Python or its registry. */
function installLitellm(): void {
  if (existsSync(FOLDER)) return;
  process.stderr.write(`installing LiteLLM ${VERSION} into ${FOLDER} ...\n`);
  const unfinished = `${FOLDER}-unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const run = (program: string, ...words: string[]) =>
    execFileSync(program, words, { stdio: ["ignore", "ignore", "inherit"] });
  run("python3", "-m", "venv", unfinished);
  run(join(unfinished, "bin/python"), "-m", "pip", "install", "--quiet", "--no-deps", "-r", REQUIREMENTS);
  renameSync(unfinished, FOLDER);
}

/** Starts it with a configuration, as one process without a database and without keys. */
export async function startLitellm(configuration: object): Promise<Child> {
  installLitellm();
  const file = freshPath("litellm.yaml");
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(configuration));
  const port = await freePort();
  return startChild({
    name: `LiteLLM ${VERSION}`,
    place: "gateway",
    node: join(FOLDER, "bin/python"),
    arguments: [
      "-c",
      "from litellm import run_server; run_server()",
      `--config=${file}`,
      "--host=127.0.0.1",
      `--port=${port}`,
    ],
    environment: {
      LITELLM_LOCAL_MODEL_COST_MAP: "True",
      LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY: "true",
      LITELLM_LOG: "ERROR",
    },
    port,
    ready: { method: "GET", path: "/health/liveliness" },
    readySeconds: READY_SECONDS,
  });
}
