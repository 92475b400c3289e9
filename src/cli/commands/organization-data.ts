// turngate orgs export-data: all data of an organization, as lines of JSON in a new file.
import { createHash } from "node:crypto";
import { closeSync, fsyncSync, rmSync, writeSync } from "node:fs";
import type { Command } from "commander";
import { EXPORT_TYPES, type ExportLine, exportOrganization } from "../../flows/accounts/export-organization.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { openNewFile } from "./new-file.ts";
import { printsRecord } from "./output.ts";
import { withOrganization } from "./with-store.ts";

/** Number of the format; a later one is not readable as this one is. */
const FORMAT = 1;

/** What a file contains: its last line says the same. */
interface Manifest {
  readonly format: number;
  readonly organization: string;
  readonly exported: number;
  readonly lines: Readonly<Record<string, number>>;
  readonly sha256: string;
}

export function addExportData(orgs: Command): void {
  orgs
    .command("export-data")
    .description("write all data of an organization, content and people, into a new file as lines of JSON")
    .argument("<org>", "organization, by id or name")
    .argument("<file>", "the file to write; it must not exist")
    .action(printsRecord(exportData));
}

function exportData(org: string, file: string) {
  return withOrganization(org, async ({ store, by, clock }, organization) => {
    const { id } = organization;
    if (organization.deletedAtMs !== null) throw new OperatorError(`the organization ${id} is deleted.`);
    const exported = { organization: id, exported: Math.floor(clock.nowMs() / 1000) };
    const written = await writeLines(file, exportOrganization(store, organization), exported);
    await store.logExport({ by, organizationId: id, lines: written.lines });
    return { file, ...written };
  });
}

/** Writes the lines and the manifest after them. A file that cannot be completed is removed; one without a manifest is not whole. */
async function writeLines(
  file: string,
  lines: AsyncIterable<ExportLine>,
  exported: Pick<Manifest, "organization" | "exported">,
): Promise<Manifest> {
  const descriptor = openNewFile(file);
  try {
    const counts: Record<string, number> = Object.fromEntries(EXPORT_TYPES.map((type) => [type, 0]));
    const hash = createHash("sha256");
    for await (const { type, text } of lines) {
      const bytes = Buffer.from(`${text}\n`);
      hash.update(bytes);
      writeWhole(descriptor, bytes);
      counts[type] = (counts[type] ?? 0) + 1;
    }
    const manifest = { format: FORMAT, ...exported, lines: counts, sha256: hash.digest("hex") };
    writeWhole(descriptor, Buffer.from(`${JSON.stringify({ line: "manifest", ...manifest })}\n`));
    fsyncSync(descriptor);
    closeSync(descriptor);
    return manifest;
  } catch (error) {
    closeSync(descriptor);
    rmSync(file, { force: true });
    throw error;
  }
}

/** A single write may take a part of the bytes only. */
function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}
