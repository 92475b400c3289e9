// The content export as the configuration describes it.
import type { Config } from "../config/config.ts";
import type { ContentExportConfig } from "../config/content-export.ts";
import { createSystemClock } from "../system/clock.ts";
import type { ContentExporter, ContentExportPorts, ContentExportSettings } from "../system/content-export/exporter.ts";
import { createOutgoingFetch } from "./outgoing-fetch.ts";
import { readVersion } from "./version.ts";

/** Null without a content export; its modules are loaded only with one. */
export async function openContentExport(
  { contentExport, proxies }: Pick<Config, "contentExport" | "proxies">,
  ports: Omit<ContentExportPorts, "fetch">,
): Promise<ContentExporter | null> {
  if (contentExport === null) return null;
  const { createContentExporter } = await import("../system/content-export/exporter.ts");
  const settings = settingsOf(contentExport);
  const { origin } = new URL(settings.url);
  const { organizations } = contentExport;
  ports.log.info("content_export.on", {
    collector: origin,
    organizations: organizations === "all" ? "all" : organizations.join(" "),
  });
  return createContentExporter(settings, { ...ports, fetch: createOutgoingFetch(proxies) });
}

/** Whether the collector takes spans. Throws an error in words if not. */
export async function reachContentExport({
  contentExport,
  proxies,
}: Pick<Config, "contentExport" | "proxies">): Promise<string> {
  if (contentExport === null) return "off";
  const { origin } = new URL(contentExport.url);
  const { reachCollector } = await import("../system/content-export/exporter.ts");
  try {
    await reachCollector(settingsOf(contentExport), {
      clock: createSystemClock(),
      fetch: createOutgoingFetch(proxies),
    });
    return `${origin} takes spans`;
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown";
    throw new Error(`${origin} does not take spans (${reason})`, { cause: error });
  }
}

function settingsOf({ organizations, ...others }: ContentExportConfig): ContentExportSettings {
  return {
    ...others,
    organizations: organizations === "all" ? "all" : new Set(organizations),
    version: readVersion(),
  };
}
