// The difference between two readings of the configuration: what a running service takes, and what needs a restart.
import { isDeepStrictEqual } from "node:util";
import type { Config } from "../config/config.ts";
import type { Catalog } from "../core/models/catalog.ts";

/** A configuration with the catalog that is built from it. */
interface Loaded {
  readonly config: Config;
  readonly catalog: Catalog;
}

/**
 * How each part of the configuration reaches a running service. `reload`: with the next model set, as `listReloaded` compares it. A
 * name: only a start reads the setting of this name. `none`: it is no setting, or only a first start reads it.
 */
const REACHES: Readonly<Record<keyof Config, "reload" | "none" | { readonly restart: string }>> = {
  file: "none",
  host: { restart: "server.host" },
  port: { restart: "server.port" },
  manageHost: { restart: "server.manage_host" },
  managePort: { restart: "server.manage_port" },
  manageUrl: { restart: "server.manage_url" },
  publicUrl: { restart: "server.public_url" },
  trustedProxies: { restart: "server.trusted_proxies" },
  database: { restart: "store.database_url" },
  connections: { restart: "store.postgres" },
  rootSecret: { restart: "TURNGATE_SECRET" },
  formerSecret: { restart: "TURNGATE_FORMER_SECRET" },
  bootstrapApiKey: "none",
  logLevel: { restart: "LOG_LEVEL" },
  families: "none",
  providers: "reload",
  models: "reload",
  hasBuiltInModels: "reload",
  prices: "reload",
  aliases: "reload",
  proxies: "reload",
  extraCertificates: { restart: "outgoing.ca_file" },
  // But for its rules: differInRulesAlone.
  singleSignOn: { restart: "single_sign_on" },
  contentExport: { restart: "content_export" },
  limits: { restart: "limits" },
  metadataKey: { restart: "turn_log.metadata_key" },
  metricsByOrganization: { restart: "metrics.by_organization" },
  usdPerCredit: "reload",
  warnings: "none",
};

/** The settings that differ and that the running service takes, by their names. */
export function listReloaded(before: Loaded, after: Loaded): readonly string[] {
  const [was, is] = [before.config, after.config];
  return [
    ...listDiffering("providers", byName(was.providers, withoutReason), byName(is.providers, withoutReason)),
    ...listDiffering("models", byId(before.catalog), byId(after.catalog)),
    ...(was.usdPerCredit === is.usdPerCredit ? [] : ["credits.usd_per_credit"]),
    ...(differInRulesAlone(was, is) && !isDeepStrictEqual(was.singleSignOn, is.singleSignOn)
      ? ["single_sign_on.rules"]
      : []),
    ...(["http", "https"] as const)
      .filter((scheme) => String(was.proxies[scheme]) !== String(is.proxies[scheme]))
      .map((scheme) => `${scheme.toUpperCase()}_PROXY`),
  ];
}

/** The settings that differ and that only a start reads, by their names. */
export function listForRestart(before: Config, after: Config): readonly string[] {
  return Object.entries(REACHES).flatMap(([key, reaches]) => {
    if (typeof reaches === "string") return [];
    const [was, is] = [before[key as keyof Config], after[key as keyof Config]];
    if (key === "limits") return listDiffering("limits", entriesOf(was), entriesOf(is));
    if (key === "singleSignOn" && differInRulesAlone(before, after)) return [];
    return isDeepStrictEqual(was, is) ? [] : [reaches.restart];
  });
}

/** The settings that a service goes by after a reload: what only a start reads is as it was before. */
export function inForce(before: Config, reloaded: Config): Config {
  const settings = Object.entries(REACHES).map(([key, reaches]) => {
    const takes = typeof reaches === "string" || (key === "singleSignOn" && differInRulesAlone(before, reloaded));
    return [key, (takes ? reloaded : before)[key as keyof Config]];
  });
  return Object.fromEntries(settings) as Config;
}

/**
 * Whether single sign-on is the same but for its rules, which a reload takes. Beside another change they wait for the
 * restart too: the groups of another provider mean nothing at this one.
 */
function differInRulesAlone(before: Config, after: Config): boolean {
  return isDeepStrictEqual(withoutRules(before), withoutRules(after));
}

function withoutRules({ singleSignOn }: Config): object | null {
  return singleSignOn === null ? null : { ...singleSignOn, policy: { ...singleSignOn.policy, rules: [] } };
}

type Named = ReadonlyMap<string, unknown>;

/** `<prefix>.<name>` of each entry that only one of the two has, or that differs. */
function listDiffering(prefix: string, before: Named, after: Named): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names]
    .filter((name) => !isDeepStrictEqual(before.get(name), after.get(name)))
    .map((name) => `${prefix}.${name}`);
}

function byName<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
  valueOf: (entry: Entry) => unknown,
): Named {
  return new Map(entries.map((entry) => [entry.name, valueOf(entry)]));
}

/** Why a provider is on says nothing about how it serves. */
function withoutReason(provider: Config["providers"][number]): object {
  return { ...provider, because: null };
}

function byId({ models }: Catalog): Named {
  return new Map(models.map((model) => [model.id, model]));
}

function entriesOf(value: unknown): Named {
  return new Map(Object.entries(value as object));
}
