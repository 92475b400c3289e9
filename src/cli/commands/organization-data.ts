// turngate orgs export-data: all data of an organization, as lines of JSON in a new file.
import { createHash } from "node:crypto";
import type { Command } from "commander";
import { EXPORT_TYPES, type ExportLine, exportOrganization } from "../../manage/export-organization.ts";
import { OperatorError } from "../../../packages/kit/operator-error.ts";
import { writeWholeFile } from "../../../packages/kit/new-file.ts";
import { printsRecord } from "../../../packages/kit/output.ts";
import { withOrganization } from "./with-store.ts";

/** Number of the format; a later one is not readable as this one is. */
const FORMAT = 1;

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

/** Writes the lines, and after them the manifest of what the file contains; a file without one is not whole. */
async function writeLines(
  file: string,
  lines: AsyncIterable<ExportLine>,
  exported: { readonly organization: string; readonly exported: number },
) {
  const counts: Record<string, number> = Object.fromEntries(EXPORT_TYPES.map((type) => [type, 0]));
  const sha256 = createHash("sha256");
  const manifest = () => ({ format: FORMAT, ...exported, lines: counts, sha256: sha256.copy().digest("hex") });
  async function* texts(): AsyncGenerator<string> {
    for await (const { type, text } of lines) {
      sha256.update(`${text}\n`);
      counts[type] = (counts[type] ?? 0) + 1;
      yield `${text}\n`;
    }
    yield `${JSON.stringify({ line: "manifest", ...manifest() })}\n`;
  }
  await writeWholeFile(file, texts());
  return manifest();
}
