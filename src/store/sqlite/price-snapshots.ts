// Stored price snapshots, read with each settlement: a catalog has few, so their texts are parsed once.
import type { PriceSnapshot } from "../../core/accounts/prices.ts";
import { parseStored } from "./codec.ts";

/** A database may have seen many catalogs. */
const READ_MAX = 1000;

const read = new Map<string, PriceSnapshot>();

/** The snapshot of a stored text. */
export function readSnapshot(text: string): PriceSnapshot {
  const known = read.get(text);
  if (known !== undefined) return known;
  const snapshot = parseStored<PriceSnapshot>(text, "price snapshot");
  if (read.size >= READ_MAX) read.clear();
  read.set(text, snapshot);
  return snapshot;
}
