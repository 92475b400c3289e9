// The environment variables, read once into checked values. An empty variable counts as not set.
import { readKey } from "../core/access/key-format.ts";
import { LOG_LEVELS, type LogLevel } from "../system/log-levels.ts";
import type { Proxies } from "../providers/wire/proxies.ts";
import { faultOfApiKey, faultOfBaseUrl } from "../providers/endpoint.ts";
import type { ProviderFamily } from "../providers/family.ts";
import { hideCredentials } from "./hide-credentials.ts";
import { OperatorError } from "./operator-error.ts";
import type { ProviderConfig } from "./provider-config.ts";

/** Shortest TURNGATE_SECRET, characters. */
export const ROOT_SECRET_CHARACTERS_MIN = 32;

/** Default ports of /v1 and of the management interface. */
export const DEFAULT_PORT = 8080;
export const DEFAULT_MANAGE_PORT = 8081;

/** The format of MANAGE_URL and server.manage_url, for the schema and for messages. */
export const MANAGE_URL_PATTERN = "^https?://[^\\s/?#]+/?$";
export const MANAGE_URL_ALLOWED = "an origin, such as https://manage.example.com";

/** The values of the environment; null where a variable is not set. */
export interface Environment {
  readonly host: string | null;
  readonly port: number | null;
  readonly manageHost: string | null;
  readonly managePort: number | null;
  readonly manageUrl: string | null;
  readonly databaseUrl: string | null;
  readonly configFile: string | null;
  readonly rootSecret: string | null;
  readonly bootstrapApiKey: string | null;
  readonly logLevel: LogLevel;
  /** The proxies for requests to providers. */
  readonly proxies: Proxies;
  /** The provider families that a key turns on, each under its own name. */
  readonly providers: readonly ProviderConfig[];
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** Reads the variables; throws an OperatorError that names the variable and what is allowed. */
export function readEnvironment(variables: Variables, families: readonly ProviderFamily[]): Environment {
  const read = (name: string) => variables[name] || null;
  return {
    host: read("HOST"),
    port: readPort("PORT", read("PORT")),
    manageHost: read("MANAGE_HOST"),
    managePort: readPort("MANAGE_PORT", read("MANAGE_PORT")),
    manageUrl: readManageUrlVariable(read("MANAGE_URL")),
    databaseUrl: read("DATABASE_URL"),
    configFile: read("TURNGATE_CONFIG"),
    rootSecret: readRootSecret(read("TURNGATE_SECRET")),
    bootstrapApiKey: readBootstrapKey(read("TURNGATE_BOOTSTRAP_API_KEY")),
    logLevel: readLogLevel(read("LOG_LEVEL")),
    proxies: {
      http: readProxy("HTTP_PROXY", variables),
      https: readProxy("HTTPS_PROXY", variables),
      exempt: readEither("NO_PROXY", variables) ?? "",
    },
    providers: families.flatMap((family) => readFamily(family, read)),
  };
}

/** Reads a proxy variable: as in most programs, the lower-case name takes precedence. */
function readEither(name: string, variables: Variables): string | null {
  return variables[name.toLowerCase()] || variables[name] || null;
}

function readProxy(name: string, variables: Variables): URL | null {
  const text = readEither(name, variables);
  if (text === null) return null;
  const address = text.includes("://") ? text : `http://${text}`;
  const url = URL.parse(address);
  if (url !== null && /^https?:$/.test(url.protocol) && isDecodable(url.username + url.password)) return url;
  throw new OperatorError(`${name} is "${hideCredentials(address)}"; allowed: an http:// or https:// address.`);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function readPort(name: string, text: string | null): number | null {
  if (text === null) return null;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new OperatorError(`${name} is "${text}"; allowed: a whole number from 0 (any free port) to 65535.`);
  }
  return port;
}

function readManageUrlVariable(text: string | null): string | null {
  return text === null ? null : readManageUrl(text, (message) => new OperatorError(`MANAGE_URL ${message}`));
}

/**
 * The origin as browsers write it, in lower case and without a default port, since their Origin header is compared with it. `errorOf` makes
 * the error from a message without its subject.
 */
export function readManageUrl(text: string, errorOf: (message: string) => Error): string {
  const url = new RegExp(MANAGE_URL_PATTERN).test(text) ? URL.parse(text) : null;
  if (url !== null && url.username === "" && url.password === "") return url.origin;
  throw errorOf(`is "${hideCredentials(text)}"; allowed: ${MANAGE_URL_ALLOWED}.`);
}

function readRootSecret(text: string | null): string | null {
  if (text !== null && text.length < ROOT_SECRET_CHARACTERS_MIN) {
    throw new OperatorError(
      `TURNGATE_SECRET has ${text.length} characters; allowed: any string of ${ROOT_SECRET_CHARACTERS_MIN} or more.`,
    );
  }
  return text;
}

function readBootstrapKey(text: string | null): string | null {
  if (text !== null && readKey(text) === null) {
    throw new OperatorError(
      "TURNGATE_BOOTSTRAP_API_KEY is not an API key (its format or checksum is wrong); `turngate keys mint` makes one.",
    );
  }
  return text;
}

function readLogLevel(text: string | null): LogLevel {
  const level = LOG_LEVELS.find((known) => known === (text ?? "info").toLowerCase());
  if (level === undefined) throw new OperatorError(`LOG_LEVEL is "${text}"; allowed: ${LOG_LEVELS.join(", ")}.`);
  return level;
}

/** A family is on when its key is set; a base URL alone only says where it would be. */
function readFamily(family: ProviderFamily, read: (name: string) => string | null): ProviderConfig[] {
  const { type, environment } = family;
  if (environment === null) return [];
  const apiKey = read(environment.apiKey);
  const baseUrl = read(environment.baseUrl);
  if (baseUrl !== null && faultOfBaseUrl(baseUrl) !== null) {
    throw new OperatorError(
      `${environment.baseUrl} is "${hideCredentials(baseUrl)}"; allowed: an http:// or https:// address, without user and password.`,
    );
  }
  const keyFault = apiKey === null ? null : faultOfApiKey(apiKey);
  if (keyFault !== null) throw new OperatorError(`${environment.apiKey} ${keyFault}.`);
  return apiKey === null ? [] : [{ name: type, family, apiKey, baseUrl, because: environment.apiKey }];
}
