/**
 * Core assignment: the gateway under test has the first core to itself, with the highest priority where that is
 * permitted; load and fake provider share the rest. Without
 * `taskset` (not Linux) nothing is pinned, and the report says so.
 */
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

const cores = availableParallelism();
const hasTaskset = spawnSync("taskset", ["--version"]).error === undefined;

export const isPinned = hasTaskset && cores > 1;
const GATEWAY_CORE = "0";
export const LOAD_CORES = cores > 2 ? `1-${cores - 1}` : "1";

export type Place = "gateway" | "load";

/**
 * Wraps a command so that it runs on the cores of its role. Not with real-time priority, where V8's threads spin while
 * those that they wait for get no time.
 */
export function pinnedCommand(place: Place, command: readonly string[]): readonly string[] {
  if (!isPinned) return command;
  if (place === "load") return ["taskset", "-c", LOAD_CORES, ...command];
  return ["nice", "-n", "-20", "taskset", "-c", GATEWAY_CORE, ...command];
}

/** Moves this process with all its threads to the cores of the load. */
export function pinSelf(): void {
  if (isPinned) spawnSync("taskset", ["-a", "-p", "-c", LOAD_CORES, String(process.pid)]);
}
