// The real service as a process that can be killed.
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../bin/turngate.js", import.meta.url));
const PRELOAD = fileURLToPath(new URL("./crash-at.ts", import.meta.url));

export interface ServiceSettings {
  readonly folder: string;
  readonly port: number;
  readonly apiKey: string;
}

/** One life of the service. */
export class ServiceProcess {
  readonly startedMs = performance.now();
  /** How it ended: an exit code or a signal. */
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
  /** Resolves to the milliseconds until it listened; null when it died before. */
  readonly listening: Promise<number | null>;
  /** The last part of its output. */
  output = "";
  readonly #child: ChildProcess;

  constructor(settings: ServiceSettings, crashAt: string | null) {
    const { folder, port, apiKey } = settings;
    this.#child = spawn(process.execPath, ["--require", PRELOAD, MAIN, "serve"], {
      cwd: folder,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOST: "127.0.0.1",
        PORT: String(port),
        MANAGE_PORT: "0",
        DATABASE_URL: "sqlite:./turngate.db",
        TURNGATE_CONFIG: "./turngate.yaml",
        TURNGATE_BOOTSTRAP_API_KEY: apiKey,
        LOG_LEVEL: "info",
        ...(crashAt === null ? {} : { CRASH_AT: crashAt }),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.ended = new Promise((resolve) => this.#child.on("close", (code, signal) => resolve({ code, signal })));
    this.listening = new Promise((resolve) => {
      const hear = (chunk: Buffer) => {
        this.output = (this.output + chunk.toString()).slice(-20_000);
        if (this.output.includes("Base URL:")) resolve(performance.now() - this.startedMs);
      };
      this.#child.stdout?.on("data", hear);
      this.#child.stderr?.on("data", hear);
      void this.ended.then(() => resolve(null));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  kill(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): void {
    this.#child.kill(signal);
  }
}

/** A range in which no system picks ports by itself: what is free here stays so, whatever other tests listen and connect. */
const PORTS = { first: 20_000, count: 10_000 };

/** A port that is free now, and later unless it is asked for by its number. */
export async function findPort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + randomInt(PORTS.count);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.on("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** A secret as `turngate keys mint --json` prints it. */
export async function mintKey(): Promise<string> {
  const child = spawn(process.execPath, [MAIN, "keys", "mint", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  await new Promise((resolve) => child.on("close", resolve));
  return JSON.parse(printed).secret;
}
