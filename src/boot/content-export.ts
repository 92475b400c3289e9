// The content export as the configuration describes it.
import type { Config } from "../config/config.ts";
import { createSystemClock } from "../system/clock.ts";
import type { ContentExporter, ContentExportPorts } from "../system/content-export/exporter.ts";
import { createOutgoingFetch } from "./outgoing-fetch.ts";
import { readVersion } from "./version.ts";

/** Null without a content export; its modules are loaded only with one. */
export async function openContentExport(
  { contentExport, proxies }: Pick<Config, "contentExport" | "proxies">,
  ports: Omit<ContentExportPorts, "fetch">,
): Promise<ContentExporter | null> {
  if (contentExport === null) return null;
  const { createContentExporter } = await import("../system/content-export/exporter.ts");
  const { url, organizations } = contentExport;
  ports.log.info("content_export.on", {
    collector: new URL(url).origin,
    organizations: organizations === "all" ? "all" : organizations.join(" "),
  });
  return createContentExporter(
    { ...contentExport, version: readVersion() },
    { ...ports, fetch: createOutgoingFetch(proxies) },
  );
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
    await reachCollector(contentExport, {
      clock: createSystemClock(),
      fetch: createOutgoingFetch(proxies),
    });
    return `${origin} takes spans`;
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown";
    throw new Error(`${origin} does not take spans (${reason})`, { cause: error });
  }
}
