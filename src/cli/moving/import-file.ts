// Imports a file: reads all of it first, so that a file with an error is not imported in part, then stores its conversations.
import { OperatorError } from "../../../packages/kit/operator-error.ts";
import { type ConversationId, isIdOf } from "../../contract/ids.ts";
import { type ConversationImport, importConversation } from "../../flows/moving/import-items.ts";
import { nowSeconds } from "../../ports/clock.ts";
import type { Caller } from "../../ports/store/histories.ts";
import { createIds } from "../../system/ids.ts";
import type { CommandServices } from "../commands/with-store.ts";
import type { LeftOut } from "./api-items.ts";
import { readApiObjects } from "./api-records.ts";
import { isExport, readExport } from "./export-records.ts";
import type { Begun, ImportMap } from "./import-map.ts";
import { type JsonValue, openJsonFile } from "./json-values.ts";
import type { MovedRecord } from "./records.ts";

/** What a file holds. */
export interface FileContent {
  readonly format: "export" | "api";
  readonly conversations: number;
  readonly items: number;
  readonly sha256: string;
  /** How often something was left out, by what it is. */
  readonly leftOut: ReadonlyMap<string, number>;
}

/** Reads and checks a whole file. Throws an OperatorError for the first line that can't be imported. */
export async function readContent(file: string, leavesOut: boolean): Promise<FileContent> {
  const leftOut: LeftOut = { isAllowed: leavesOut, counts: new Map() };
  const { format, records, digest } = await openRecords(file, leftOut);
  let conversations = 0;
  let items = 0;
  for await (const { kind } of records) {
    if (kind === "conversation") conversations += 1;
    else items += 1;
  }
  return { format, conversations, items, sha256: digest(), leftOut: leftOut.counts };
}

export interface FileImport {
  readonly file: string;
  readonly content: FileContent;
  readonly caller: Caller;
  readonly keepsIds: boolean;
  readonly leavesOut: boolean;
  readonly map: ImportMap;
  readonly onProgress: (conversations: number) => void;
}

/** What a run has stored, and what earlier ones had. */
export interface Imported {
  conversations: number;
  items: number;
  earlier: number;
}

/**
 * Stores the conversations of a file that was read. Adds up into `imported` as it goes, so that an error does not lose the numbers. Throws
 * an OperatorError or AccountError; another run with the same map goes on.
 */
export async function importFile(
  { store, clock }: Pick<CommandServices, "store" | "clock">,
  { file, content, caller, keepsIds, leavesOut, map, onProgress }: FileImport,
  imported: Imported,
): Promise<void> {
  const importing = { store, ids: createIds(), caller, keepsIds };
  let current: ConversationImport | null = null;
  let seen = 0;
  const finish = async () => {
    if (current === null) return;
    imported.items += await current.finish();
    imported.conversations += 1;
    current = null;
  };
  const { records, digest } = await openRecords(file, { isAllowed: leavesOut, counts: new Map() });
  // oxlint-disable no-await-in-loop -- items are in order, and only a batch of them is in memory
  for await (const record of records) {
    if (record.kind === "item") {
      await current?.add(record.item, record.answers);
      continue;
    }
    await finish();
    seen += 1;
    onProgress(seen);
    const { id: from, createdAt, metadata } = record;
    const begun: Begun | null = map.next(from);
    if (begun !== null && !begun.isLast) {
      imported.earlier += 1;
      continue;
    }
    const id = begun === null ? newId(from, importing) : (begun.to as ConversationId);
    if (begun === null) map.add(from, id);
    current = importConversation(importing, {
      id,
      isBegun: begun !== null,
      createdAt: createdAt ?? nowSeconds(clock),
      metadata,
    });
  }
  await finish();
  // oxlint-enable no-await-in-loop
  map.finish();
  if (digest() !== content.sha256) throw new OperatorError(`${file} was changed while it was imported.`);
}

function newId(from: string | null, { ids, keepsIds }: { ids: ReturnType<typeof createIds>; keepsIds: boolean }) {
  return keepsIds && from !== null && isIdOf("conversation", from)
    ? (from as ConversationId)
    : ids.mint("conversation");
}

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
