// Stored price snapshots, read with each settlement: a catalog has few.
import type { PriceSnapshot } from "../../../core/accounts/prices.ts";
import { parseStored } from "../database/stored-json.ts";
import { remembering } from "../database/remembering.ts";

/** The snapshot of a stored text. */
export const readSnapshot = remembering((text) => parseStored<PriceSnapshot>(text, "price snapshot"));
