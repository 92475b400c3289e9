// The configuration of the service. The environment overrides the file, the file the defaults. Read once, checked and
// frozen.
import { lstatSync, readFileSync } from "node:fs";
import type { AddressRange } from "../contract/address-range.ts";
import { type ConnectionSettings, DEFAULT_CONNECTIONS } from "../contract/connections.ts";
import { DEFAULT_LIMITS, type ServiceLimits } from "../contract/limits.ts";
import { type CatalogModel, USD_PER_CREDIT } from "../core/models/catalog.ts";
import type { LogLevel } from "../system/log-levels.ts";
import type { Aliases } from "./aliases.ts";
import type { ReadConfigFile } from "./config-file.ts";
import type { ContentExportConfig } from "./content-export.ts";
import { type DatabaseConfig, DEFAULT_DATABASE, readDatabaseUrl } from "./database-url.ts";
import { decodeText } from "../../packages/kit/decode-text.ts";
import {
  DEFAULT_MANAGE_PORT,
  DEFAULT_PORT,
  type Environment,
  readEnvironment,
  readManageUrl,
  readPublicUrl,
} from "./environment.ts";
import { OperatorError, reasonOf } from "../../packages/kit/operator-error.ts";
import type { SecretVariable } from "../../packages/kit/secret-variable.ts";
import { FAMILIES } from "../providers/families.ts";
import type { ProviderFamily } from "../providers/family.ts";
import type { Proxies } from "../providers/wire/proxies.ts";
import { readExtraCertificates } from "./extra-certificates.ts";
import { listBorrowedPrices, type PriceList, readPriceList } from "./price-list.ts";
import type { ProviderConfig } from "./provider-config.ts";
import { joinProviders } from "./provider-entry.ts";
import type { SingleSignOnConfig } from "./single-sign-on.ts";
import { readTrustedProxies } from "./trusted-proxies.ts";
import type { Variables } from "../../packages/kit/variables.ts";

const DEFAULT_CONFIG_FILE = "./turngate.yaml";

export interface Config {
  /** The configuration file that was read; null when there is none. */
  readonly file: string | null;
  readonly host: string;
  readonly port: number;
  /** Where the management interface listens. */
  readonly manageHost: string;
  readonly managePort: number;
  /** The origin at which people reach it; null: where it listens. With https its cookies are sent over HTTPS only. */
  readonly manageUrl: string | null;
  /** The base URL of /v1 for clients, with `/v1`; null: where it listens. */
  readonly publicUrl: string | null;
  /** The reverse proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly AddressRange[];
  readonly database: DatabaseConfig;
  /** Of the connections to PostgreSQL. */
  readonly connections: ConnectionSettings;
  /** TURNGATE_SECRET; null: the secret is in a file beside the database. */
  readonly rootSecret: string | null;
  /** TURNGATE_FORMER_SECRET, whose hashes are accepted too; null without one. */
  readonly formerSecret: string | null;
  readonly bootstrapApiKey: SecretVariable | null;
  readonly logLevel: LogLevel;
  /** The provider families there are. */
  readonly families: readonly ProviderFamily[];
  readonly providers: readonly ProviderConfig[];
  /** The file's models. One with the id of a built-in model replaces it; any other is added. */
  readonly models: readonly CatalogModel[];
  readonly hasBuiltInModels: boolean;
  /** What is known of models that are described nowhere else. */
  readonly prices: PriceList;
  /** Further names of models. */
  readonly aliases: Aliases;
  /** The proxies for requests to providers. */
  readonly proxies: Proxies;
  /** PEM certificates trusted in addition to the usual ones. */
  readonly extraCertificates: readonly string[];
  /** Null: no single sign-on. */
  readonly singleSignOn: SingleSignOnConfig | null;
  /** Null: what responses say is not exported. */
  readonly contentExport: ContentExportConfig | null;
  readonly limits: ServiceLimits;
  /** The metadata key whose values the log of turns keeps; null: none. */
  readonly metadataKey: string | null;
  /** Whether metrics are labelled by organization too. */
  readonly metricsByOrganization: boolean;
  /** The value of a credit in USD. */
  readonly usdPerCredit: number;
  /** Settings that are valid but rarely intended, a sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Reads the environment and the configuration file; throws an OperatorError that names the place, the value and what is
 * allowed.
 */
export async function readConfig(
  variables: Variables = process.env,
  families: readonly ProviderFamily[] = FAMILIES,
): Promise<Config> {
  const environment = readEnvironment(variables, families);
  const file = await readFile(environment, variables, families);
  const section = file?.config ?? {};
  const providers = joinProviders({ families, environment, file });
  if (file !== null && providers.some(({ hostSettings }) => hostSettings !== undefined)) {
    await (await import("./hosts.ts")).checkHosts(file, providers, variables);
  }
  const manageUrl = environment.manageUrl ?? readManageUrlOf(file);
  const database = readDatabase(environment, file);
  const prices = await readPriceList(database);
  return Object.freeze({
    file: file?.name ?? null,
    host: environment.host ?? section.server?.host ?? "127.0.0.1",
    port: environment.port ?? section.server?.port ?? DEFAULT_PORT,
    manageHost: environment.manageHost ?? section.server?.manage_host ?? "127.0.0.1",
    managePort: environment.managePort ?? section.server?.manage_port ?? defaultManagePort(environment),
    manageUrl,
    publicUrl: environment.publicUrl ?? readPublicUrlOf(file),
    trustedProxies: readTrustedProxies(file),
    database,
    rootSecret: environment.rootSecret,
    formerSecret: readFormerSecret(environment),
    bootstrapApiKey: environment.bootstrapApiKey,
    logLevel: environment.logLevel,
    families,
    providers,
    ...(await readModels(file, families, { providers, manageUrl, prices })),
    hasBuiltInModels: section.catalog !== "none",
    prices,
    aliases: section.aliases ?? {},
    proxies: environment.proxies,
    extraCertificates: readExtraCertificates(file),
    singleSignOn: file === null ? null : (await import("./single-sign-on.ts")).readSingleSignOn(file),
    contentExport: file === null ? null : (await import("./content-export.ts")).readContentExport(file),
    connections: Object.freeze({ ...DEFAULT_CONNECTIONS, ...section.store?.postgres }),
    limits: readLimits(file),
    metadataKey: section.turn_log?.metadata_key ?? null,
    metricsByOrganization: section.metrics?.by_organization ?? false,
    usdPerCredit: section.credits?.usd_per_credit ?? USD_PER_CREDIT,
  });
}

/** The root secret before this one. In a file it lies beside the present one: root-secret.ts. */
function readFormerSecret({ rootSecret, formerSecret }: Environment): string | null {
  if (formerSecret === null) return null;
  if (rootSecret !== null && rootSecret !== formerSecret) return formerSecret;
  const why = rootSecret === null ? "needs TURNGATE_SECRET, the new root secret" : "is the same as TURNGATE_SECRET";
  throw new OperatorError(`TURNGATE_FORMER_SECRET ${why}.`);
}

/** PORT=0 means that several services run at once, so the management interface takes a free port too. */
function defaultManagePort({ port }: Environment): number {
  return port === 0 ? 0 : DEFAULT_MANAGE_PORT;
}

/** Loads the file's reader only when there is a file: its libraries take a tenth of a second. */
async function readFile(
  environment: Environment,
  variables: Variables,
  families: readonly ProviderFamily[],
): Promise<ReadConfigFile | null> {
  const name = environment.configFile ?? DEFAULT_CONFIG_FILE;
  let bytes: Buffer;
  try {
    // lstat: a dangling link is an unreadable file, not the absence of one.
    if (environment.configFile === null && lstatSync(name, { throwIfNoEntry: false }) === undefined) return null;
    bytes = readFileSync(name);
  } catch (error) {
    throw new OperatorError(`the configuration file ${name} can't be read (${reasonOf(error)}).`, { cause: error });
  }
  const { readConfigFile } = await import("./config-file.ts");
  return readConfigFile({ name, text: decodeText(name, bytes), variables, families });
}

async function readModels(
  file: ReadConfigFile | null,
  families: readonly ProviderFamily[],
  { providers, manageUrl, prices }: Pick<Config, "providers" | "manageUrl" | "prices">,
): Promise<Pick<Config, "models" | "warnings">> {
  const builtInWarnings = file?.config.catalog === "none" ? [] : listBorrowedPrices(providers);
  const ofPrices = [...builtInWarnings, ...listOlderPrices(prices)];
  if (file === null) return { models: [], warnings: ofPrices };
  const [{ readModelEntries }, { loadBuiltIn }, { listWarnings }] = await Promise.all([
    import("./model-entries.ts"),
    import("./built-in-models.ts"),
    import("./config-warnings.ts"),
  ]);
  const builtIn = await loadBuiltIn(families, prices);
  const models = readModelEntries(file, providers, { builtIn, prices });
  return { models, warnings: [...listWarnings(file, { providers, models, builtIn, manageUrl, prices }), ...ofPrices] };
}

/** A warning about a price file of `models update` that a newer release has outlived. */
function listOlderPrices({ date, own }: PriceList): readonly string[] {
  if (own === null || own.date >= date) return [];
  return [
    `${own.path} is of ${own.date}, older than the prices that come with this release (${date}), which it replaces model by model: update it with \`turngate models update\`, or remove it.`,
  ];
}

function readDatabase(environment: Environment, file: ReadConfigFile | null): DatabaseConfig {
  if (environment.databaseUrl !== null) {
    const { value, source, shown } = environment.databaseUrl;
    return readDatabaseUrl(value, (message) => new OperatorError(`${source} ${message}`), shown);
  }
  const url = file?.config.store?.database_url;
  if (file === null || url === undefined) return DEFAULT_DATABASE;
  return readDatabaseUrl(url, (predicate) => file.faultAt(["store", "database_url"], predicate));
}

function readManageUrlOf(file: ReadConfigFile | null): string | null {
  const url = file?.config.server?.manage_url;
  if (file === null || url === undefined) return null;
  return readManageUrl(url, (predicate) => file.faultAt(["server", "manage_url"], predicate));
}

function readPublicUrlOf(file: ReadConfigFile | null): string | null {
  const url = file?.config.server?.public_url;
  if (file === null || url === undefined) return null;
  return readPublicUrl(url, (predicate) => file.faultAt(["server", "public_url"], predicate));
}

function readLimits(file: ReadConfigFile | null): ServiceLimits {
  const { requests_per_minute, ...others } = file?.config.limits ?? {};
  const { retention_days: days, idempotency_retention_hours: hours } = { ...DEFAULT_LIMITS, ...others };
  if (file !== null && days !== null && days * 24 < hours) {
    throw file.faultAt(
      ["limits", "retention_days"],
      `is ${days}; allowed: at least idempotency_retention_hours (${hours}), since a retried request gets the response of the first.`,
    );
  }
  return Object.freeze({
    ...DEFAULT_LIMITS,
    ...others,
    requests_per_minute: Object.freeze({ ...DEFAULT_LIMITS.requests_per_minute, ...requests_per_minute }),
  });
}
