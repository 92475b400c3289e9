// turngate config import: makes a turngate.yaml from a LiteLLM configuration. docs/migrate-from-litellm.md
import { type Command, CommanderError } from "commander";
import { readTextFile } from "../kit/decode-text.ts";
import { writeNewFile } from "../kit/new-file.ts";
import { prints } from "../kit/output.ts";

/** The status of an import that left out a model, or something of how turns are routed. */
const LEFT_OUT = 2;

/** Longest file to import, bytes: a hundred times the longest in use. */
const IMPORTED_BYTES_MAX = 16 * 1024 * 1024;

/** Adds the command to the group `config`. */
export function addImport(config: Command): void {
  config
    .command("import")
    .description("make a turngate.yaml from a LiteLLM configuration, and list what could not be carried over")
    .argument("<file>", "LiteLLM's config.yaml")
    .option("--write <file>", "a new file to write instead of stdout")
    .action(prints(importFile, describeImported, assertWhole));
}

async function importFile(file: string, { write: to = null }: { write?: string | null }) {
  // Loaded late: the YAML library takes a tenth of a second.
  const { importLitellm } = await import("./import-litellm.ts");
  const { text, ...imported } = importLitellm(file, readTextFile(file, IMPORTED_BYTES_MAX));
  if (to !== null) writeNewFile(to, text);
  return { from: file, to, text, ...imported };
}

/** Throws if something was left out: a script must not go on as if all were there. */
function assertWhole({ carried, listed, lost }: Awaited<ReturnType<typeof importFile>>): void {
  if (carried < listed || lost > 0) throw new CommanderError(LEFT_OUT, "turngate.leftOut", "");
}

function describeImported({ to, text, notes, carried, listed, lost }: Awaited<ReturnType<typeof importFile>>): string {
  for (const note of notes) process.stderr.write(`note: ${note}\n`);
  const settings = lost === 0 ? "" : `, without ${lost} fallbacks, aliases or settings of routing`;
  const models = `${carried} of ${listed} models${settings}`;
  if (to !== null) return `Wrote ${to} with ${models}; \`turngate config check ${to}\` checks it.\n`;
  process.stderr.write(`${models}\n`);
  return text;
}
