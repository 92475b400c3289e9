// The format of an export: JSON lines, each with its own hash; the last one counts the others and has the hash over all.
// docs/moving-conversations.md
import { createHash, hash } from "node:crypto";
import { canonicalJson } from "../../core/idempotency/canonical-json.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";

export const FORMAT_VERSION = 1;

/** What the last line says of those before it. */
export interface Totals {
  readonly conversations: number;
  readonly items: number;
  readonly unreadable: number;
  /** SHA-256 over the hashes of the lines before, each followed by a line end. */
  readonly sha256: string;
}

/** The SHA-256 of a line without its own hash: over canonical JSON, so that the order of keys means nothing. */
export function hashOfLine(line: JsonObject): string {
  const { sha256: _, ...rest } = line;
  return hash("sha256", canonicalJson(rest), "hex");
}

/** A line of an export with its hash. */
export function withHash(line: JsonObject): { readonly text: string; readonly sha256: string } {
  const sha256 = hashOfLine(line);
  return { text: `${JSON.stringify({ ...line, sha256 })}\n`, sha256 };
}

/** Counts lines and hashes their hashes. */
export class LineTotals {
  readonly #hash = createHash("sha256");
  readonly #counts = { conversations: 0, items: 0, unreadable: 0 };

  add(line: JsonObject, sha256: string): void {
    this.#hash.update(`${sha256}\n`);
    if (isJsonObject(line["conversation"])) this.#counts.conversations += 1;
    else if (isJsonObject(line["item"])) this.#counts.items += 1;
    else if (isJsonObject(line["unreadable"])) this.#counts.unreadable += 1;
  }

  /** The totals of the lines so far. */
  get totals(): Totals {
    return { ...this.#counts, sha256: this.#hash.copy().digest("hex") };
  }
}
