/** CPU time and memory of a process, read from /proc. */
import { readFileSync } from "node:fs";

/** Linux counts CPU time in hundredths of a second (USER_HZ), whatever the kernel's own tick is. */
const TICKS_PER_SECOND = 100;

/** Starts counting; the returned function gives the CPU seconds used since. */
export function watchCpu(pid: number): () => number {
  const before = cpuSeconds(pid);
  return () => cpuSeconds(pid) - before;
}

/** Resident memory in bytes (VmRSS). */
export function residentBytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  if (kilobytes === undefined) throw new Error(`process ${pid} has no VmRSS`);
  return Number(kilobytes) * 1024;
}

/** User and system time of all threads. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is the name in parentheses and may contain spaces: count from its end.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
