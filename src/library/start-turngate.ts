// `import { startTurngate } from "turngate"`: a gateway for the length of a test. It runs in a process of its own,
// because a test may run on a Node that the gateway can't run on, and so that nothing of it stays when the test's
// process dies. Any Node from 20 on loads this module.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { cacheFolder, findRuntime } from "../../bin/runtime.js";

export interface TurngateOptions {
  /**
   * What `turngate.yaml` would hold: providers, models, limits. Without `providers` the simulated models are on.
   * Responses that still run when the gateway stops get one second, unless `limits.drain_seconds` says otherwise.
   */
  readonly config?: Readonly<Record<string, unknown>>;
  /**
   * Environment variables of the gateway, such as provider keys. It gets no other variables of this process but PATH
   * and the like.
   */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * The folder of the store, which is created if necessary and stays. By default a temporary one, which goes with the
   * gateway.
   */
  readonly folder?: string;
  /** The first API key; by default a random one. Necessary for a folder that an earlier gateway has used. */
  readonly apiKey?: string;
  /** The port of /v1; by default any free one. */
  readonly port?: number;
  /** Where the gateway's greeting and log go. By default they are dropped. */
  readonly output?: "ignore" | "inherit";
}

/** A gateway that listens on the loopback address. */
export interface Turngate extends AsyncDisposable {
  /** The base URL for clients: it ends in `/v1`. */
  readonly baseUrl: string;
  /** The address of the management interface and its app. */
  readonly manageUrl: string;
  /** A key that may do everything. */
  readonly apiKey: string;
  /** Stops the gateway in order. Rejects if it has failed. `await using` calls it. */
  stop(): Promise<void>;
}

const VARIABLES = ["PATH", "HOME", "USERPROFILE", "SystemRoot", "TEMP", "TMP", "TMPDIR", "TZ"];
/** The end of what a gateway prints on stderr that its error quotes, characters. */
const COMPLAINT_MAX = 4000;

/**
 * Starts a gateway; resolves when it listens. Rejects with an Error that quotes what the gateway has printed when it
 * can't start.
 */
export async function startTurngate(options: TurngateOptions = {}): Promise<Turngate> {
  const runtime = await findRuntime();
  // Beside this module, in a clone and in the package.
  const suffix = import.meta.url.endsWith(".ts") ? "ts" : "cjs";
  const program = fileURLToPath(new URL(`./gateway-process.${suffix}`, import.meta.url));
  const output = options.output ?? "ignore";
  const child = spawn(runtime, [program], {
    env: environmentOf(options),
    stdio: ["ignore", output, "pipe", "ipc"],
  });
  const { folder, config } = options;
  // Fails only when the process has ended, which is noticed by itself.
  child.send({ folder, config }, () => {});
  return manage(child, options, await untilStarted(child, output));
}

function environmentOf({ env, apiKey, port = 0 }: TurngateOptions): Record<string, string> {
  const inherited = VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(inherited),
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? cacheFolder("compiled"),
    PORT: String(port),
    MANAGE_PORT: "0",
    ...(apiKey === undefined ? {} : { TURNGATE_BOOTSTRAP_API_KEY: apiKey }),
    ...env,
  };
}

interface Started {
  readonly baseUrl: string;
  readonly manageUrl: string;
  readonly apiKey: string | null;
}

/** The gateway's own message; rejects with what it has printed when it ends without one. */
async function untilStarted(child: ChildProcess, output: "ignore" | "inherit"): Promise<Started> {
  let complaint = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-COMPLAINT_MAX);
    if (output === "inherit") process.stderr.write(text);
  });
  const ended = once(child, "close").then(([code]) => {
    throw new Error(`Turngate did not start (exit code ${String(code)}): ${complaint.trim()}`);
  });
  const [started] = await Promise.race([once(child, "message"), ended]);
  // An end after the start is for `stop` to report.
  ended.catch(() => {});
  return started as Started;
}

function manage(child: ChildProcess, options: TurngateOptions, started: Started): Turngate {
  const ended = new Promise<void>((resolve, reject) => {
    child.once("exit", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`Turngate has ended with ${signal ?? `exit code ${code}`}.`));
    });
  });
  // Reported by `stop`.
  ended.catch(() => {});
  const stop = async (): Promise<void> => {
    child.ref();
    if (child.connected) child.disconnect();
    await ended;
  };
  const apiKey = started.apiKey ?? options.apiKey;
  if (apiKey === undefined) {
    child.disconnect();
    throw new Error("The store in this folder has been used before: give its apiKey.");
  }
  // It ends with the test's process, so it need not keep that alive.
  child.unref();
  child.channel?.unref();
  (child.stderr as Socket | null)?.unref();
  return { baseUrl: started.baseUrl, manageUrl: started.manageUrl, apiKey, stop, [Symbol.asyncDispose]: stop };
}
