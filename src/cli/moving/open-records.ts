// Opens a file of conversations, whatever its format.
import type { JsonValue } from "./json-values.ts";
import { openJsonFile } from "./json-values.ts";
import { isExport, readExport } from "./export-records.ts";
import type { LeftOut } from "./api-items.ts";
import { readApiObjects } from "./api-records.ts";
import type { MovedRecord } from "./records.ts";
import { OperatorError } from "../../config/operator-error.ts";

export interface OpenedRecords {
  readonly format: "export" | "api";
  readonly records: AsyncGenerator<MovedRecord, unknown>;
  /** SHA-256 of the file, hexadecimal, once all records have been read. */
  digest(): string;
}

/** The records of a file: an export of Turngate, which is verified, or conversations of OpenAI. */
export async function openRecords(name: string, leftOut: LeftOut): Promise<OpenedRecords> {
  const file = openJsonFile(name);
  const values = file.values();
  const first = await values.next();
  if (first.done === true) throw new OperatorError(`${name} is empty.`);
  const all = startingWith(first.value, values);
  const { digest } = file;
  if (!isExport(first.value.value)) return { format: "api", records: readApiObjects(file, all, leftOut), digest };
  const onUnreadable = () => {
    const what = "items that could not be read when they were exported";
    leftOut.counts.set(what, (leftOut.counts.get(what) ?? 0) + 1);
  };
  return { format: "export", records: readExport(file, all, onUnreadable), digest };
}

async function* startingWith(first: JsonValue, rest: AsyncIterable<JsonValue>): AsyncGenerator<JsonValue, void> {
  yield first;
  yield* rest;
}
