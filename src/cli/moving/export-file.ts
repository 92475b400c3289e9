// Writes an export of conversations. docs/moving-conversations.md
import { type ExportedRecord, exportConversations } from "../../flows/moving/export-conversations.ts";
import { presentConversation } from "../../flows/conversations/conversation-reply.ts";
import { nowSeconds } from "../../ports/clock.ts";
import { OperatorError } from "../../../packages/kit/operator-error.ts";
import { writeWholeFile } from "../../../packages/kit/new-file.ts";
import type { CommandServices } from "../commands/with-store.ts";
import { FORMAT_VERSION, LineTotals, type Totals, withHash } from "./export-format.ts";
import { VALUE_BYTES_MAX } from "./json-values.ts";
import type { JsonObject } from "../../base/json.ts";

export interface FileExport {
  /** A new file, readable by its owner alone. */
  readonly file: string;
  readonly organization: { readonly id: string; readonly name: string };
  /** Null: the conversations of all keys. */
  readonly keyId: string | null;
  readonly onProgress: (conversations: number) => void;
}

/** Writes the file, and removes it again when that fails. Returns its totals. */
export async function exportFile(
  { store, clock }: Pick<CommandServices, "store" | "clock">,
  { file, organization, keyId, onProgress }: FileExport,
): Promise<Totals> {
  const sums = new LineTotals();
  const counted = (line: JsonObject): string => {
    const { text, sha256 } = withHash(line);
    if (Buffer.byteLength(text) > VALUE_BYTES_MAX) {
      throw new OperatorError(`an item has more than ${VALUE_BYTES_MAX} bytes, which no import would read.`);
    }
    sums.add(line, sha256);
    return text;
  };
  async function* lines(): AsyncGenerator<string> {
    yield counted({ turngate_export: FORMAT_VERSION, exported_at: nowSeconds(clock), organization, key: keyId });
    for await (const record of exportConversations(store, { organizationId: organization.id, keyId })) {
      yield counted(asLine(record));
      if (record.kind === "conversation") onProgress(sums.totals.conversations);
    }
    yield withHash({ end: sums.totals }).text;
  }
  await writeWholeFile(file, lines());
  return sums.totals;
}

function asLine(record: ExportedRecord): JsonObject {
  if (record.kind === "conversation") {
    const { keyId, ...conversation } = record.conversation;
    return { conversation: presentConversation(conversation), key: keyId };
  }
  const { item, answers } = record;
  if (!item.readable) return { unreadable: { id: item.id, message: item.message } };
  const text = typeof item.text === "string" ? item.text : Buffer.from(item.text).toString();
  return { item: JSON.parse(text) as JsonObject, ...(answers === undefined ? {} : { answers }) };
}
