// The configuration as operators see it. It is built from chosen fields, so that no secret can be among them: of an
// address only scheme, host and port are taken, of keys and headers' values only that they are there.
import type { ShownConfiguration } from "../contract/manage/configuration.ts";
import type { Config } from "./config.ts";
import type { ProviderConfig } from "./provider-config.ts";

/** The configuration in force, without its secrets. */
export function showConfig(config: Config): ShownConfiguration {
  const { database, models, proxies, limits } = config;
  return {
    file: config.file,
    server: {
      host: config.host,
      port: config.port,
      manage_host: config.manageHost,
      manage_port: config.managePort,
      manage_url: originOf(config.manageUrl),
      public_url: originOf(config.publicUrl),
      trusted_proxies: config.trustedProxies.map(({ address, prefix }) => `${address}/${prefix}`),
      log_level: config.logLevel,
    },
    store: {
      engine: database.engine,
      path: database.engine === "sqlite" ? database.location : null,
      address: database.engine === "postgres" ? originOf(database.location) : null,
      root_secret: config.rootSecret === null ? "file" : "set",
    },
    providers: config.providers.map(showProvider),
    models: { configured: models.length, built_in: config.hasBuiltInModels },
    proxies: { http: originOf(proxies.http), https: originOf(proxies.https) },
    extra_certificates: config.extraCertificates.length,
    single_sign_on: showSingleSignOn(config.singleSignOn),
    content_export: showContentExport(config.contentExport),
    limits: { ...limits, requests_per_minute: { ...limits.requests_per_minute } },
    turn_log: { metadata_key: config.metadataKey },
    metrics: { by_organization: config.metricsByOrganization },
    usd_per_credit: config.usdPerCredit,
  };
}

function showProvider({ name, family, apiKey, furtherApiKeys = [], ...provider }: ProviderConfig) {
  const { hostSettings, baseUrl, headers, timeoutSeconds } = provider;
  return {
    name,
    type: family.type,
    host: hostSettings?.type ?? null,
    base_url: originOf(baseUrl),
    api_keys: (apiKey === null ? 0 : 1) + furtherApiKeys.length,
    headers: Object.keys(headers ?? {}),
    timeout_seconds: timeoutSeconds ?? null,
  };
}

function showSingleSignOn(singleSignOn: Config["singleSignOn"]) {
  if (singleSignOn === null) return null;
  const { clientSecret, policy } = singleSignOn;
  const { issuer, rules, isOnlyWay } = policy;
  return {
    issuer: String(originOf(issuer)),
    client_secret: clientSecret !== null,
    rules: rules.length,
    only: isOnlyWay,
  };
}

function showContentExport(contentExport: Config["contentExport"]) {
  if (contentExport === null) return null;
  const { url, headers, organizations, turnBytes, waitingBytes } = contentExport;
  return {
    url: String(originOf(url)),
    headers: Object.keys(headers),
    organizations: organizations === "all" ? null : [...organizations],
    turn_bytes: turnBytes,
    waiting_bytes: waitingBytes,
  };
}

/** Scheme, host and port. A path may hold a token, as those of some gateways do. */
function originOf(address: string | URL | null): string | null {
  if (address === null) return null;
  const url = URL.parse(address);
  return `${url?.protocol ?? ""}//${(url === null ? null : hostOf(url)) ?? "…"}`;
}

/** Null when the host may be the beginning of a password that is not percent-encoded: `scheme://user:1/2@host`. */
function hostOf({ host, href }: URL): string | null {
  return href.slice(href.indexOf(host) + host.length).includes("@") ? null : host;
}
