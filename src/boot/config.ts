// The configuration of the service: environment before file before default, read once, checked whole, frozen.
import { isUtf8 } from "node:buffer";
import { lstatSync, readFileSync } from "node:fs";
import { DEFAULT_LIMITS, type ServiceLimits } from "../contract/limits.ts";
import { type CatalogModel, USD_PER_CREDIT } from "../core/catalog.ts";
import type { LogLevel } from "../system/log-levels.ts";
import type { ReadConfigFile } from "./config-file.ts";
import { readDatabaseUrl } from "./database-url.ts";
import {
  DEFAULT_MANAGE_PORT,
  DEFAULT_PORT,
  type Environment,
  readEnvironment,
  readManageUrl,
  type Variables,
} from "./environment.ts";
import { OperatorError } from "./operator-error.ts";
import { faultOfApiKey, faultOfBaseUrl } from "../providers/family.ts";
import type { ProviderType } from "../providers/registry.ts";
import type { ProviderConfig } from "./provider-config.ts";

const DEFAULT_CONFIG_FILE = "./turngate.yaml";

export interface Config {
  /** The configuration file that was read; null when there is none. */
  readonly file: string | null;
  readonly host: string;
  readonly port: number;
  /** Where the management interface listens. */
  readonly manageHost: string;
  readonly managePort: number;
  /** The origin that people reach it by; null: where it listens. With https its cookies are for https alone. */
  readonly manageUrl: string | null;
  /** Where the embedded store's database file is. */
  readonly databasePath: string;
  /** TURNGATE_SECRET; null: it is kept in a file beside the database. */
  readonly rootSecret: string | null;
  readonly bootstrapApiKey: string | null;
  readonly logLevel: LogLevel;
  readonly providers: readonly ProviderConfig[];
  /** The file's models; they replace built-in ones of the same id or are added. */
  readonly models: readonly CatalogModel[];
  readonly hasBuiltInModels: boolean;
  readonly limits: ServiceLimits;
  /** What a credit is worth in USD. */
  readonly usdPerCredit: number;
}

/** Reads the environment and the configuration file; throws an OperatorError that says what is wrong, where, and what is allowed. */
export async function readConfig(variables: Variables = process.env): Promise<Config> {
  const environment = readEnvironment(variables);
  const file = await readFile(environment, variables);
  const section = file?.config ?? {};
  const providers = joinProviders(environment, file);
  return Object.freeze({
    file: file === null ? null : fileName(environment),
    host: environment.host ?? section.server?.host ?? "127.0.0.1",
    port: environment.port ?? section.server?.port ?? DEFAULT_PORT,
    manageHost: environment.manageHost ?? section.server?.manage_host ?? "127.0.0.1",
    managePort: environment.managePort ?? section.server?.manage_port ?? defaultManagePort(environment),
    manageUrl: environment.manageUrl ?? readManageUrlOf(file),
    databasePath: readDatabasePath(environment, file),
    rootSecret: environment.rootSecret,
    bootstrapApiKey: environment.bootstrapApiKey,
    logLevel: environment.logLevel,
    providers,
    models: file === null ? [] : await readModels(file, providers),
    hasBuiltInModels: section.catalog !== "none",
    limits: readLimits(file),
    usdPerCredit: section.credits?.usd_per_credit ?? USD_PER_CREDIT,
  });
}

/** Who asks for any free port runs several services at once: the management interface then takes a free one too. */
function defaultManagePort({ port }: Environment): number {
  return port === 0 ? 0 : DEFAULT_MANAGE_PORT;
}

const fileName = (environment: Environment) => environment.configFile ?? DEFAULT_CONFIG_FILE;

/** The file's reader is loaded only when there is a file: its libraries cost a tenth of a second. */
async function readFile(environment: Environment, variables: Variables): Promise<ReadConfigFile | null> {
  const name = fileName(environment);
  let bytes: Buffer;
  try {
    // A link that leads to nothing is a file that is missing, and no service without one.
    if (environment.configFile === null && lstatSync(name, { throwIfNoEntry: false }) === undefined) return null;
    bytes = readFileSync(name);
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new OperatorError(`the configuration file ${name} can't be read (${reason}).`, { cause: error });
  }
  const { readConfigFile } = await import("./config-file.ts");
  return readConfigFile(name, decodeText(name, bytes), variables);
}

/** The text of a file; throws an OperatorError for one of another encoding, such as UTF-16. */
function decodeText(name: string, bytes: Buffer): string {
  const text = bytes.toString("utf8");
  // UTF-16 without a mark in front is UTF-8 as well, with a U+0000 beside every letter.
  if (isUtf8(bytes) && !text.includes("\0")) return text;
  const line = text.slice(0, text.search(/[\0\ufffd]/)).split("\n").length;
  throw new OperatorError(`${name}:${line}: the file must be UTF-8 text.`);
}

async function readModels(file: ReadConfigFile, providers: readonly ProviderConfig[]) {
  const { readModelEntries } = await import("./model-entry.ts");
  return readModelEntries(file, providers);
}

function readDatabasePath(environment: Environment, file: ReadConfigFile | null): string {
  if (environment.databaseUrl !== null)
    return readDatabaseUrl(environment.databaseUrl, (message) => new OperatorError(`DATABASE_URL ${message}`));
  const url = file?.config.store?.database_url;
  if (file === null || url === undefined) return "./data/turngate.db";
  return readDatabaseUrl(url, (message) => file.wrong(["store", "database_url"], `store.database_url ${message}`));
}

function readManageUrlOf(file: ReadConfigFile | null): string | null {
  const url = file?.config.server?.manage_url;
  if (file === null || url === undefined) return null;
  return readManageUrl(url, (message) => file.wrong(["server", "manage_url"], `server.manage_url ${message}`));
}

/** The environment's families and the file's providers; of one name the file's words count, and the environment's fill in. */
function joinProviders(environment: Environment, file: ReadConfigFile | null): readonly ProviderConfig[] {
  const providers = new Map<string, ProviderConfig>();
  for (const provider of environment.providers) providers.set(provider.name, provider);
  if (file !== null) for (const provider of readProviders(file, environment)) providers.set(provider.name, provider);
  // Simulated models are on as long as nothing else is.
  if (providers.size === 0) {
    providers.set("simulated", { name: "simulated", type: "simulated", apiKey: null, baseUrl: null });
  }
  return [...providers.values()];
}

function readProviders(file: ReadConfigFile, environment: Environment): readonly ProviderConfig[] {
  return Object.entries(file.config.providers ?? {}).map(([name, entry]) => {
    const same = environment.providers.find((known) => known.name === name && known.type === entry.type);
    const provider: ProviderConfig = {
      name,
      type: entry.type,
      apiKey: entry.api_key ?? same?.apiKey ?? null,
      baseUrl: entry.base_url ?? same?.baseUrl ?? null,
    };
    const lacks = missingOf(provider);
    if (lacks !== null) throw file.wrong(["providers", name], `providers.${name} lacks ${lacks}.`);
    const faults = {
      base_url: entry.base_url === undefined ? null : faultOfBaseUrl(entry.base_url),
      api_key: entry.api_key === undefined ? null : faultOfApiKey(entry.api_key),
    };
    for (const [key, fault] of Object.entries(faults)) {
      if (fault !== null) throw file.wrong(["providers", name, key], `providers.${name}.${key} ${fault}.`);
    }
    return provider;
  });
}

/** What each type of provider can't do without. */
const NEEDS: Readonly<Record<ProviderType, "apiKey" | "baseUrl" | null>> = {
  anthropic: "apiKey",
  gemini: "apiKey",
  openai: "apiKey",
  "openai-compatible": "baseUrl",
  simulated: null,
};

/** The name, in the file, of what a provider lacks; null when it has all it needs. */
function missingOf(provider: ProviderConfig): "api_key" | "base_url" | null {
  const need = NEEDS[provider.type];
  if (need === null || provider[need] !== null) return null;
  return need === "apiKey" ? "api_key" : "base_url";
}

function readLimits(file: ReadConfigFile | null): ServiceLimits {
  const { requests_per_minute, ...others } = file?.config.limits ?? {};
  return Object.freeze({
    ...DEFAULT_LIMITS,
    ...others,
    requests_per_minute: Object.freeze({ ...DEFAULT_LIMITS.requests_per_minute, ...requests_per_minute }),
  });
}
