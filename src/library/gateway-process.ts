// The process of a gateway that startTurngate starts. It tells the other end of its channel its addresses and key, and stops in order when
// the channel closes, also because the other process has died. Its working folder is temporary if the first argument says so.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { describeError } from "../boot/describe-error.ts";
import { serve } from "../boot/serve.ts";
import { listenForSignals } from "../boot/on-signals.ts";
import { FAMILIES } from "../providers/families.ts";

/** A test's turns that still run at its end are of no interest. */
const DRAIN_SECONDS = 1;

const signals = listenForSignals();
process.on("disconnect", () => process.emit("SIGTERM", "SIGTERM"));
if (process.argv[2] === "temporary") {
  const folder = process.cwd();
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
}
completeConfig(process.env["TURNGATE_CONFIG"] ?? "");
serve(signals).then(
  (started) => process.send?.(started),
  (error: unknown) => {
    process.stderr.write(`error: ${describeError(error)}\n`);
    process.removeAllListeners("disconnect");
    process.exitCode = 1;
    process.disconnect?.();
  },
);

/** Adds what a test expects: without providers of its own the families that need no account are on, as without a file. */
function completeConfig(file: string): void {
  const given = JSON.parse(readFileSync(file, "utf8")) as { readonly limits?: object };
  const fallback = FAMILIES.filter(({ isFallback }) => isFallback).map(({ type }) => [type, { type }]);
  const limits = { drain_seconds: DRAIN_SECONDS, ...given.limits };
  writeFileSync(file, JSON.stringify({ providers: Object.fromEntries(fallback), ...given, limits }));
}
