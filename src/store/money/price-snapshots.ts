// Parses stored price snapshots. Each settlement needs one, and a catalog has few.
import type { PriceSnapshot } from "../../core/money/prices.ts";
import { parseStored } from "../engine/stored-json.ts";
import { memoize } from "../engine/read-cache.ts";

/** The snapshot of a stored text. Throws a StoreError (`failed`) when it cannot be read. */
export const parsePriceSnapshot = memoize((text) => parseStored<PriceSnapshot>(text, "price snapshot"));
