// What the section `content_export` of turngate.yaml means. docs/observability.md (Content)
import { faultOfHeader } from "../providers/wire/extra-headers.ts";
import type { ReadConfigFile } from "./config-file.ts";
import { CONTENT_EXPORT_DEFAULTS } from "./content-export-schema.ts";

export interface ContentExportConfig {
  /** Where spans are posted to. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The organizations whose responses are exported, by id. */
  readonly organizations: "all" | readonly string[];
  readonly turnBytes: number;
  readonly waitingBytes: number;
}

/** Reads the section; null without one. Throws an OperatorError for what the shape cannot express. */
export function readContentExport(file: ReadConfigFile): ContentExportConfig | null {
  if (file.config.content_export === undefined) return null;
  const section = { ...CONTENT_EXPORT_DEFAULTS, ...file.config.content_export };
  const url = URL.parse(section.url);
  if (url === null || url.username !== "" || url.password !== "") {
    throw file.faultAt(["content_export", "url"], "is not allowed: it must be an address without user and password.");
  }
  const { headers = {} } = section;
  for (const [name, value] of Object.entries(headers)) {
    const fault = faultOfHeader(name, value);
    if (fault !== null) throw file.faultAt(["content_export", "headers", name], `${fault}.`);
  }
  return {
    url: section.url,
    headers,
    organizations: section.organizations,
    turnBytes: section.turn_bytes,
    waitingBytes: section.waiting_bytes,
  };
}
