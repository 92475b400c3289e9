// How large the embedded store's files are.
import { stat } from "node:fs/promises";
import { createGauge } from "./gauge.ts";
import type { MetricFamily } from "./sample.ts";

/** A gauge of the database file at `path` and of its journal; a file that is not there has no bytes. */
export function createStoreFileGauge(path: string): MetricFamily {
  const files = [
    ["database", path],
    ["journal", `${path}-wal`],
  ] as const;
  return createGauge("turngate_store_file_bytes", "Size of the embedded store's files.", ["file"], () =>
    Promise.all(files.map(async ([file, at]) => ({ values: [file], value: await sizeOf(at) }))),
  );
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}
