// turngate export, import, verify: conversations with their items, from one service to another.
import { type Command, Option } from "commander";
import { OperatorError } from "../../../packages/kit/operator-error.ts";
import { ORGANIZATION, type OrganizationOptions } from "./options.ts";
import { countOf, type OutputOptions, prints } from "../../../packages/kit/output.ts";
import { type CommandServices, withOrganization, withStore } from "./with-store.ts";

export function addMoving(program: Command): void {
  program
    .command("export")
    .description("write the conversations of an organization, with their items, to a file that can be verified")
    .argument("<file>", "the file to write, JSON lines; it must not exist")
    .requiredOption(...ORGANIZATION)
    .option("--key <key>", "only the conversations of this key, by its id")
    .action(prints(exportConversations, describeExport));
  program
    .command("import")
    .description(
      "store the conversations of an export, or conversations and threads as the hosted API lists them; repeated after an interruption, it resumes",
    )
    .argument("<file>", "JSON or JSON lines")
    .requiredOption("--key <key>", "the key that will own the conversations, by its id")
    .option("--keep-ids", "keep the ids of conversations and items that have our form")
    .option("--leave-out", "leave out what has no place here, such as images, instead of ending with an error")
    .option("--map <file>", "the old and new ids, a line each (default: <file>.map.jsonl)")
    .addOption(new Option("--dry-run", "only read and check the file"))
    .action(prints(importConversations, describeImport));
  program
    .command("verify")
    .description(
      "check an export of conversations: each line, their order and number; exits non-zero on any difference",
    )
    .argument("<file>", "the export")
    .action(
      prints(verify, ({ file, conversations, items, sha256 }) => {
        return `${file} is whole: ${describe(conversations, items)}, hash ${sha256}.\n`;
      }),
    );
}

async function exportConversations(file: string, options: OrganizationOptions & OutputOptions & { key?: string }) {
  const { exportFile } = await import("../moving/export-file.ts");
  return withOrganization(options.org, async (services, organization) => {
    const { store, by } = services;
    const { id, name } = organization;
    const keyId = options.key ?? null;
    const key = keyId === null ? null : await store.findKeyById({ keyId });
    if (keyId !== null && key?.organizationId !== id) {
      throw new OperatorError(`the organization "${name}" has no key ${keyId}; \`keys list\` shows them.`);
    }
    const onProgress = progressOf(options);
    const totals = await exportFile(services, { file, organization: { id, name }, keyId, onProgress });
    const { conversations, items } = totals;
    await store.logMove({ by, action: "conversation.export", organizationId: id, keyId, conversations, items });
    return { file, ...totals };
  });
}

function describeExport({ file, conversations, items, unreadable }: Awaited<ReturnType<typeof exportConversations>>) {
  if (unreadable > 0) process.stderr.write(`warning: items that could not be read: ${unreadable}.\n`);
  return `Exported ${describe(conversations, items)} to ${file}; \`turngate verify\` checks it.\n`;
}

interface ImportOptions extends OutputOptions {
  readonly key: string;
  readonly keepIds?: boolean;
  readonly leaveOut?: boolean;
  readonly map?: string;
  readonly dryRun?: boolean;
}

async function importConversations(file: string, options: ImportOptions) {
  const { keepIds: keepsIds = false, leaveOut: leavesOut = false, dryRun: isDry = false } = options;
  const { importFile, readContent } = await import("../moving/import-file.ts");
  return withStore(async (services) => {
    const caller = await findOwner(services, options.key);
    const content = await readContent(file, leavesOut);
    const { conversations, items, leftOut, format } = content;
    const shown = { file, format, conversations, items, left_out: Object.fromEntries(leftOut) };
    if (isDry) return { ...shown, imported: null, map: null };
    const path = options.map ?? `${file}.map.jsonl`;
    const { openImportMap } = await import("../moving/import-map.ts");
    const header = { file_sha256: content.sha256, key: caller.keyId, keep_ids: keepsIds, leave_out: leavesOut };
    const map = openImportMap(path, header);
    const imported = { conversations: 0, items: 0, earlier: 0 };
    const given = { file, content, caller, keepsIds, leavesOut, map, onProgress: progressOf(options) };
    const { store, by } = services;
    const { organizationId, keyId } = caller;
    const log = () => {
      const counts = { conversations: imported.conversations, items: imported.items };
      if (counts.conversations === 0) return Promise.resolve();
      return store.logMove({ by, action: "conversation.import", organizationId, keyId, ...counts });
    };
    try {
      await importFile(services, given, imported);
    } catch (error) {
      // The first error says what is wrong, also when the store is what fails.
      await log().catch(() => {});
      const message = error instanceof Error ? error.message : String(error);
      const stored = imported.earlier + imported.conversations;
      throw new OperatorError(
        `${message} Of ${conversations} conversations ${stored} are stored; run the command again to go on.`,
        { cause: error },
      );
    } finally {
      map.close();
    }
    await log();
    return { ...shown, imported, map: path };
  });
}

function describeImport({
  file,
  conversations,
  items,
  left_out: leftOut,
  imported,
  map,
}: Awaited<ReturnType<typeof importConversations>>): string {
  for (const [what, count] of Object.entries(leftOut)) {
    process.stderr.write(`warning: left out: ${count} ${what}.\n`);
  }
  if (imported === null) return `${file} can be imported: ${describe(conversations, items)}.\n`;
  const { earlier } = imported;
  const before = earlier === 0 ? "" : `${earlier} ${earlier === 1 ? "was" : "were"} imported before.\n`;
  return `Imported ${describe(imported.conversations, imported.items)}; their ids are in ${map}.\n${before}`;
}

/** The key that will own the conversations. */
async function findOwner({ store }: CommandServices, keyId: string) {
  const key = await store.findKeyById({ keyId });
  if (key === null) throw new OperatorError(`there is no key ${keyId}; \`keys list\` shows them.`);
  if (key.revokedAt !== null)
    throw new OperatorError(`the key ${keyId} is revoked: its conversations could not be continued.`);
  return { organizationId: key.organizationId, keyId };
}

/** `2 conversations with 1 item`. */
function describe(conversations: number, items: number): string {
  return `${countOf(conversations, "conversation")} with ${countOf(items, "item")}`;
}

async function verify(file: string) {
  const { openJsonFile } = await import("../moving/json-values.ts");
  const { readExport } = await import("../moving/export-records.ts");
  const opened = openJsonFile(file);
  const records = readExport(opened, opened.values());
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one line after the other
    const { done, value } = await records.next();
    if (done === true) return { file, ...value };
  }
}

/** Shows the number of conversations on a terminal. */
function progressOf({ json }: OutputOptions): (conversations: number) => void {
  if (json || !process.stderr.isTTY) return () => {};
  return (conversations) => {
    if (conversations % 100 === 0) process.stderr.write(`\r\x1b[K${conversations} conversations\r`);
  };
}
