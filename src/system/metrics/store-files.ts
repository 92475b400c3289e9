// Sizes of the embedded store's files.
import { stat } from "node:fs/promises";
import Gauge from "prom-client/lib/gauge.js";
import type Registry from "prom-client/lib/registry.js";

/** Adds a gauge of the database file at `path` and of its journal. A missing file counts as 0 bytes. */
export function addStoreFileGauge(registry: Registry, path: string): void {
  const gauge: Gauge<"file"> = new Gauge({
    name: "turngate_store_file_bytes",
    help: "Size of the embedded store's files.",
    labelNames: ["file"],
    registers: [registry],
    async collect() {
      gauge.set({ file: "database" }, await sizeOf(path));
      gauge.set({ file: "journal" }, await sizeOf(`${path}-wal`));
    },
  });
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}
