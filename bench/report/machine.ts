/** Describes the machine of a run. */
import { cpus, release, totalmem, type } from "node:os";
import { isPinned } from "../process/cores.ts";
import { isStoreInMemory } from "../process/work-directory.ts";

/** Lines about the machine and what limits the value of its figures. */
export function describeMachine(now: Date): readonly string[] {
  const processors = cpus();
  const gigabytes = Math.round(totalmem() / 1024 ** 3);
  const lines = [
    `${processors[0]?.model.trim() ?? "unknown processor"}, ${processors.length} cores, ${gigabytes} GB`,
    `${type()} ${release()}, Node ${process.versions.node}, ${now.toISOString().slice(0, 10)}`,
  ];
  if (!isPinned) lines.push("The processes were not pinned to cores (no taskset, or one core): ratios are rough.");
  if (isStoreInMemory())
    lines.push("The store lay in memory (tmpfs): durable commits cost nothing here. Set TMPDIR to a disk.");
  return lines;
}
