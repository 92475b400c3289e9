/**
 * Core assignment: the gateway under test has the first core to itself, load and fake provider share the rest. Without
 * `taskset` (not Linux) nothing is pinned, and the report says so.
 */
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

const cores = availableParallelism();
const hasTaskset = spawnSync("taskset", ["--version"]).error === undefined;

export const isPinned = hasTaskset && cores > 1;
const GATEWAY_CORE = "0";
const LOAD_CORES = cores > 2 ? `1-${cores - 1}` : "1";

export type Place = "gateway" | "load";

/** Wraps a command so that it runs on the cores of its role. */
export function pinnedCommand(place: Place, command: readonly string[]): readonly string[] {
  return isPinned ? ["taskset", "-c", place === "gateway" ? GATEWAY_CORE : LOAD_CORES, ...command] : command;
}

/** Moves this process with all its threads to the cores of the load. */
export function pinSelf(): void {
  if (isPinned) spawnSync("taskset", ["-a", "-p", "-c", LOAD_CORES, String(process.pid)]);
}
