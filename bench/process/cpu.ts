/** CPU time and memory of a process, read from /proc. */
import { readdirSync, readFileSync } from "node:fs";

/** Linux counts CPU time in hundredths of a second (USER_HZ), whatever the kernel's own tick is. */
const TICKS_PER_SECOND = 100;

/** Starts counting; the returned function gives the CPU seconds used since. */
export function watchCpu(pid: number): () => number {
  const before = cpuSeconds(pid);
  return () => cpuSeconds(pid) - before;
}

/** Starts counting; the returned function gives the CPU seconds that each thread has used since, by the thread's name. */
export function watchThreads(pid: number): () => ReadonlyMap<string, number> {
  const before = threadSeconds(pid);
  return () => {
    const used = new Map<string, number>();
    for (const [id, { name, seconds }] of threadSeconds(pid)) {
      used.set(name, (used.get(name) ?? 0) + seconds - (before.get(id)?.seconds ?? 0));
    }
    return used;
  };
}

function threadSeconds(pid: number): ReadonlyMap<string, { readonly name: string; readonly seconds: number }> {
  const threads = new Map<string, { name: string; seconds: number }>();
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const read = (file: string): string => readFileSync(`/proc/${pid}/task/${id}/${file}`, "utf8");
    // The first number of schedstat is the thread's time on a core, nanoseconds.
    threads.set(id, { name: read("comm").trim(), seconds: Number(read("schedstat").split(" ")[0]) / 1e9 });
  }
  return threads;
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
