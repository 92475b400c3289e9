/** The command line of the benchmark. */
import { parseArgs } from "node:util";
import { DEFAULT_FAMILY, FAMILIES, type Family, findFamily } from "./families.ts";
import { ROWS } from "./rows.ts";

export interface Arguments {
  /** The figures to measure; all if none is named. */
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
  readonly isQuick: boolean;
  /** The provider family that Turngate runs the rows with. */
  readonly family: Family;
  /** Commits to measure the working tree beside, in place of the rows. */
  readonly beside: readonly string[];
}

const USAGE = `npm run bench                 measures every row and rewrites docs/performance.md (about 30 minutes)
npm run bench -- P3 P9        measures these rows alone and prints them
npm run bench -- --quick      fewer and shorter rounds, printed only
npm run bench -- --family gemini   over the adapter and the wire of another family, printed only
npm run bench -- --beside HEAD~1 --beside 16b42028   P20: this tree beside these commits, ratios`;

/** Parses the arguments; throws for an unknown row or family, naming the known ones. */
export function readArguments(given: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({
    args: [...given],
    options: {
      quick: { type: "boolean", default: false },
      family: { type: "string", default: DEFAULT_FAMILY },
      beside: { type: "string", multiple: true, default: [] },
    },
    allowPositionals: true,
  });
  const known = new Set(ROWS.flatMap((row) => row.figures.map((figure) => figure.id)));
  const wanted = positionals.map((name) => name.toUpperCase());
  const unknown = wanted.filter((id) => !known.has(id));
  if (unknown.length > 0)
    throw new Error(`no row ${unknown.join(", ")}; there are ${[...known].join(", ")}\n\n${USAGE}`);
  const family = findFamily(values.family);
  if (family === undefined) throw new Error(`no family ${values.family}; there are ${FAMILIES.join(", ")}\n\n${USAGE}`);
  const ids = wanted.length > 0 ? new Set(wanted) : known;
  return { ids, isAll: wanted.length === 0, isQuick: values.quick, family, beside: values.beside };
}
