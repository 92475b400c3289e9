// Reads an export of Turngate and verifies it. docs/moving-conversations.md
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { OperatorError } from "../../../packages/kit/operator-error.ts";
import { FORMAT_VERSION, hashOfLine, LineTotals, type Totals } from "./export-format.ts";
import type { JsonFile, JsonValue } from "./json-values.ts";
import { checkItem, readConversation, show, type MovedRecord } from "./records.ts";

/** Whether a file's first value begins an export. */
export function isExport(first: unknown): boolean {
  return isJsonObject(first) && "turngate_export" in first;
}

/**
 * The records of an export; its totals are the generator's result. Throws an OperatorError that names the first line that was changed, or what
 * the last line misses.
 */
export async function* readExport(
  file: JsonFile,
  values: AsyncIterable<JsonValue>,
  onUnreadable: () => void = () => {},
): AsyncGenerator<MovedRecord, Totals> {
  const sums = new LineTotals();
  let lines = 0;
  let end: unknown;
  let hasConversation = false;
  for await (const { line, value } of values) {
    const errorOf = (message: string) => new OperatorError(`${file.name}:${line}: ${message}`);
    if (end !== undefined) throw errorOf("something follows the last line of the export.");
    if (lines === 0 && !isExport(value)) throw errorOf("the file is no export of Turngate.");
    const { fields, sha256 } = verifyLine(value, errorOf);
    if (lines === 0 && fields["turngate_export"] !== FORMAT_VERSION) {
      throw errorOf(`the export has the version ${show(fields["turngate_export"])}; allowed: ${FORMAT_VERSION}.`);
    }
    lines += 1;
    const { conversation, item, answers, unreadable } = fields;
    if (isJsonObject(fields["end"])) {
      end = fields["end"];
      assertTotals(fields["end"], sums.totals, errorOf);
      continue;
    }
    sums.add(fields, sha256);
    if (isJsonObject(conversation)) {
      hasConversation = true;
      yield readConversation(conversation, line, errorOf);
    } else if (isJsonObject(item) && hasConversation) {
      const link = typeof answers === "string" ? answers : null;
      yield { kind: "item", line, item: checkItem(item, errorOf), answers: link };
    } else if (isJsonObject(unreadable)) onUnreadable();
    else if (lines > 1) throw errorOf("the line is neither a conversation nor an item of one.");
  }
  if (end === undefined) throw new OperatorError(`${file.name}: the last line is missing: the file is cut short.`);
  return sums.totals;
}

function verifyLine(
  value: unknown,
  errorOf: (message: string) => OperatorError,
): { fields: JsonObject; sha256: string } {
  if (!isJsonObject(value) || typeof value["sha256"] !== "string") throw errorOf("the line has no hash.");
  const { sha256 } = value;
  if (hashOf(value, errorOf) === sha256) return { fields: value, sha256 };
  throw errorOf("the hash is not that of the line: the line was changed.");
}

function hashOf(value: JsonObject, errorOf: (message: string) => OperatorError): string {
  try {
    return hashOfLine(value);
  } catch (error) {
    // No item is nested so deep that this would exhaust the stack.
    if (error instanceof RangeError) throw errorOf("the line is nested too deep.");
    throw error;
  }
}

function assertTotals(end: JsonObject, found: Totals, errorOf: (message: string) => OperatorError): void {
  for (const name of ["conversations", "items", "unreadable"] as const) {
    if (end[name] !== found[name]) {
      throw errorOf(
        `the export was written with ${show(end[name])} ${name}, and has ${found[name]}: lines are missing, or were added.`,
      );
    }
  }
  if (end["sha256"] !== found.sha256) throw errorOf("the hash over all lines differs: lines were exchanged.");
}
