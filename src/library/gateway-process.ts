// The process of a gateway that startTurngate starts. The other end of its channel tells it the options of the gateway;
// it replies with its addresses and key, and stops in order when the channel closes, also because the other process has
// died.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeError } from "../boot/fatal-errors.ts";
import { serve, type Started } from "../boot/serve.ts";
import { listenForSignals } from "../boot/on-signals.ts";
import { makeFolder } from "../installation/make-folder.ts";
import { FAMILIES } from "../providers/families.ts";
import type { TurngateOptions } from "./start-turngate.ts";

const CONFIG_FILE = "turngate.json";
/** A test's responses that still run at its end are of no interest. */
const DRAIN_SECONDS = 1;

const signals = listenForSignals();
process.on("disconnect", () => process.emit("SIGTERM", "SIGTERM"));
process.once("message", (options: TurngateOptions) => {
  start(options).then(
    (started) => process.send?.(started),
    (error: unknown) => {
      process.stderr.write(`error: ${describeError(error)}\n`);
      process.removeAllListeners("disconnect");
      process.exitCode = 1;
      process.disconnect?.();
    },
  );
});

async function start({ folder = openTemporaryFolder(), config = {} }: TurngateOptions): Promise<Started> {
  makeFolder(folder);
  process.chdir(folder);
  // Beside the store: a ./turngate.yaml of the tests' folder is not read. JSON is YAML.
  process.env["TURNGATE_CONFIG"] ??= CONFIG_FILE;
  writeFileSync(CONFIG_FILE, JSON.stringify(complete(config)), { mode: 0o600 });
  return serve(signals);
}

/** A folder that goes with this process. */
function openTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "turngate-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Adds what a test expects: without providers of its own the families that need no account are on, as without a file.
 */
function complete({ limits, ...given }: NonNullable<TurngateOptions["config"]>): object {
  const fallback = FAMILIES.filter(({ isFallback }) => isFallback).map(({ type }) => [type, { type }]);
  return {
    providers: Object.fromEntries(fallback),
    ...given,
    limits: { drain_seconds: DRAIN_SECONDS, ...(limits as object | undefined) },
  };
}
