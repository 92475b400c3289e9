/** The service under test: its own program, a fresh embedded store, one core. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import type { Family } from "../families.ts";
import { type Child, freePort, startChild } from "../process/child.ts";
import { freshPath } from "../process/work-directory.ts";
import { configurationYaml } from "./configuration.ts";

export interface Turngate extends Child {
  readonly headers: Readonly<Record<string, string>>;
  /** A well-formed but unknown key. */
  readonly unknownHeaders: Readonly<Record<string, string>>;
  /** Runs a command of the service beside it and returns its `--json` output. */
  command(...words: readonly string[]): unknown;
}

export interface TurngateOptions {
  readonly providerPort: number;
  readonly family: Family;
  readonly hasDefaultAdmission?: boolean;
  /** Models without a price; otherwise every turn holds and pays. */
  readonly isFree?: boolean;
  /** Preloads the observer, for values that only the process itself can measure. */
  readonly isObserved?: boolean;
  /** A database, if not an embedded store of its own. */
  readonly databaseUrl?: string;
  /** Where its management interface listens, if anywhere known. */
  readonly managePort?: number;
  /** A path that answers 200 to everybody, for a store that is used already: it does not take the run's key. */
  readonly readyPath?: string;
  /** Its `turngate.yaml`, if not the usual one. */
  readonly configuration?: string;
  /** The folder of its program, if not the clone: the content of an npm package. */
  readonly root?: string;
}

const ROOT = join(import.meta.dirname, "../..");
const PROGRAM = join(ROOT, "bin/turngate.js");
/** The Node.js options of `npm start`. */
const START = manifest.scripts.start
  .replace(/^exec /, "")
  .split(" ")
  .slice(1);
const OBSERVER = join(import.meta.dirname, "observe.ts");

/** Starts the service on a fresh store. */
export async function startTurngate(options: TurngateOptions): Promise<Turngate> {
  const {
    providerPort,
    family,
    hasDefaultAdmission = false,
    isFree = false,
    isObserved = false,
    root = ROOT,
  } = options;
  const keys = mintedKeys();
  const port = await freePort();
  const directory = freshPath("turngate");
  const configuration = freshPath("turngate.yaml");
  const yaml = options.configuration ?? configurationYaml({ providerPort, family, hasDefaultAdmission, isFree });
  writeFileSync(configuration, yaml);
  const environment = {
    HOST: "127.0.0.1",
    MANAGE_PORT: String(options.managePort ?? 0),
    DATABASE_URL: options.databaseUrl ?? `sqlite:${directory}.db`,
    TURNGATE_CONFIG: configuration,
    TURNGATE_BOOTSTRAP_API_KEY: keys.known,
    TURNGATE_SECRET: "a secret of the benchmark, forty characters",
    LOG_LEVEL: "warn",
  };
  const child = await startChild({
    name: "turngate",
    place: "gateway",
    arguments: [...(isObserved ? ["--import", OBSERVER] : []), ...START],
    environment,
    workingDirectory: root,
    port,
    ready: { method: "GET", path: options.readyPath ?? "/v1/models", headers: bearer(keys.known) },
  });
  return {
    ...child,
    headers: bearer(keys.known),
    unknownHeaders: bearer(keys.unknown),
    command: (...words) => runCommand(words, environment),
  };
}

let minted: { readonly known: string; readonly unknown: string } | undefined;

/** Created once per run, by a command of the service. */
function mintedKeys(): { readonly known: string; readonly unknown: string } {
  minted ??= { known: mintKey(), unknown: mintKey() };
  return minted;
}

function mintKey(): string {
  const printed = runCommand(["keys", "mint"], {});
  if (typeof printed !== "object" || printed === null || !("secret" in printed)) {
    throw new Error("`keys mint --json` printed no secret");
  }
  return String(printed.secret);
}

function runCommand(words: readonly string[], environment: Readonly<Record<string, string>>): unknown {
  const printed = execFileSync(process.execPath, [PROGRAM, ...words, "--json"], {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, ...environment },
  });
  return JSON.parse(printed);
}

function bearer(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}
