/** What the command line asks for. */
import { parseArgs } from "node:util";
import { ROWS } from "./rows.ts";

export interface Arguments {
  /** The figures wanted; every one when none was named. */
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
  readonly isQuick: boolean;
}

const USAGE = `npm run bench                 measures every row and rewrites docs/performance.md (about 12 minutes)
npm run bench -- P3 P9        measures these rows alone and prints them
npm run bench -- --quick      fewer and shorter rounds, printed only`;

/** Reads the arguments; refuses a row that there is none of, naming those there are. */
export function readArguments(given: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({
    args: [...given],
    options: { quick: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const known = new Set(ROWS.flatMap((row) => row.figures.map((figure) => figure.id)));
  const wanted = positionals.map((name) => name.toUpperCase());
  const unknown = wanted.filter((id) => !known.has(id));
  if (unknown.length > 0)
    throw new Error(`no row ${unknown.join(", ")}; there are ${[...known].join(", ")}\n\n${USAGE}`);
  return { ids: wanted.length > 0 ? new Set(wanted) : known, isAll: wanted.length === 0, isQuick: values.quick };
}
