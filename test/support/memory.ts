// Memory of this process after garbage collection.
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes of objects and buffers that are reachable. */
export async function memoryInUse(): Promise<number> {
  // A second collection, for objects that finalizers and finished streams release.
  for (let time = 0; time < 3; time++) {
    await setImmediate();
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
