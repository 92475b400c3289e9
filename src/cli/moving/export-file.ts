// Writes an export of conversations. docs/moving-conversations.md
import { closeSync, fsyncSync, unlinkSync, writeSync } from "node:fs";
import { type ExportedRecord, exportConversations } from "../../flows/moving/export-conversations.ts";
import { presentConversation } from "../../flows/conversations/conversation-reply.ts";
import { nowSeconds } from "../../ports/clock.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { openNewFile } from "../commands/new-file.ts";
import type { CommandServices } from "../commands/with-store.ts";
import { FORMAT_VERSION, LineTotals, type Totals, withHash } from "./export-format.ts";
import { VALUE_BYTES_MAX } from "./json-values.ts";
import type { JsonObject } from "../../base/json.ts";

/** Bytes that are written at once. */
const WRITE_BYTES = 256 * 1024;

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
  const descriptor = openNewFile(file);
  const sums = new LineTotals();
  let buffered: string[] = [];
  let size = 0;
  const flush = () => {
    writeAll(descriptor, Buffer.from(buffered.join("")));
    buffered = [];
    size = 0;
  };
  const write = (line: JsonObject) => {
    const { text, sha256 } = withHash(line);
    if (Buffer.byteLength(text) > VALUE_BYTES_MAX) {
      throw new OperatorError(`an item has more than ${VALUE_BYTES_MAX} bytes, which no import would read.`);
    }
    if (!("end" in line)) sums.add(line, sha256);
    buffered.push(text);
    size += text.length;
    if (size >= WRITE_BYTES) flush();
  };
  try {
    write({ turngate_export: FORMAT_VERSION, exported_at: nowSeconds(clock), organization, key: keyId });
    for await (const record of exportConversations(store, { organizationId: organization.id, keyId })) {
      write(asLine(record));
      if (record.kind === "conversation") onProgress(sums.totals.conversations);
    }
    const { totals } = sums;
    write({ end: totals });
    flush();
    fsyncSync(descriptor);
    return totals;
  } catch (error) {
    unlinkSync(file);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

function asLine(record: ExportedRecord): JsonObject {
  if (record.kind === "conversation") {
    const { keyId, ...conversation } = record.conversation;
    return { conversation: presentConversation(conversation), key: keyId };
  }
  const { item } = record;
  if (!item.readable) return { unreadable: { id: item.id, message: item.message } };
  return { item: JSON.parse(item.text) as JsonObject };
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}
