// Price files: their shape, and the one of `models update`.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import Type, { type Static } from "typebox";
import { MODEL_ID_PATTERN } from "../core/models/catalog.ts";
import { makeFolder } from "../installation/make-folder.ts";
import { readTextFile } from "../../packages/kit/decode-text.ts";
import { OperatorError, reasonOf } from "../../packages/kit/operator-error.ts";
import { closed } from "../../packages/kit/schema-fields.ts";
import { readShapedFile } from "../../packages/kit/shaped-file.ts";
import { PriceTable } from "./model-schema.ts";

/** Longest file, bytes: a hundred times the one that comes with the program. */
const FILE_BYTES_MAX = 4 * 1024 * 1024;

const day = (of: string) => Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$", description: `${of} as YYYY-MM-DD` });
const tokens = (minimum: number) =>
  Type.Integer({ minimum, maximum: 1_000_000_000, description: `a whole number of tokens, ${minimum} or more` });

const Shape = Type.Object(
  {
    date: day("the day of the file"),
    models: Type.Array(
      Type.Object(
        {
          id: Type.String({ pattern: MODEL_ID_PATTERN, description: "a string of the form <owner>/<model>" }),
          context_window: tokens(2_500),
          max_output_tokens: tokens(16),
          prices: PriceTable,
          source: Type.String({ description: "a string that says where the prices were read" }),
          day: day("the day on which they were read"),
        },
        { ...closed, description: "a model" },
      ),
      { description: "a list of models" },
    ),
  },
  closed,
);
export type PriceFile = Static<typeof Shape>;

/**
 * Reads a price file, JSON or YAML. Throws an OperatorError that names file, line and value: for another shape, an id
 * that is listed twice, an output that does not fit the window, and a repeated tier.
 */
export function readPriceFile(name: string): PriceFile {
  const { value, faultAt } = readShapedFile({
    name,
    text: readTextFile(name, FILE_BYTES_MAX),
    variables: {},
    schema: Shape,
  });
  const file = value as PriceFile;
  const ids = new Set<string>();
  for (const [index, { id, context_window, max_output_tokens, prices }] of file.models.entries()) {
    const fault = (path: readonly (string | number)[], predicate: string) =>
      faultAt(["models", index, ...path], predicate);
    if (ids.has(id)) throw fault(["id"], `is "${id}", which is already in the list.`);
    ids.add(id);
    if (max_output_tokens > context_window) {
      throw fault(
        ["max_output_tokens"],
        `is ${max_output_tokens}; allowed: at most context_window (${context_window}).`,
      );
    }
    const thresholds = (prices.tiers ?? []).map((tier) => tier.above_input_tokens);
    const repeated = thresholds.findIndex((threshold, at) => thresholds.indexOf(threshold) < at);
    if (repeated < 0) continue;
    const at = ["prices", "tiers", repeated, "above_input_tokens"];
    throw fault(at, `is ${thresholds[repeated]}, which is already in the list.`);
  }
  return file;
}

/** Puts a price file in place of the one at a path: whole, or not at all. Throws an OperatorError if it can't be written. */
export function writePriceFile(path: string, file: PriceFile): void {
  const written = `${path}.new`;
  try {
    makeFolder(dirname(path));
    const fd = openSync(written, "w", 0o644);
    try {
      writeFileSync(fd, `${JSON.stringify(file, null, 2)}\n`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(written, path);
  } catch (error) {
    rmSync(written, { force: true });
    throw new OperatorError(`${path} can't be written (${reasonOf(error)}).`, { cause: error });
  }
}
