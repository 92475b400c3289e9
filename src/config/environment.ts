// The environment variables, read once into checked values. An empty variable counts as not set.
import { KEY_FORMAT } from "../core/access/checked-secret.ts";
import { LOG_LEVELS, type LogLevel } from "../system/log-levels.ts";
import type { Proxies } from "../providers/wire/proxies.ts";
import { faultOfApiKey, faultOfBaseUrl } from "../providers/endpoint.ts";
import type { ProviderFamily } from "../providers/family.ts";
import { hideCredentials } from "../../packages/kit/addresses.ts";
import { OperatorError } from "../../packages/kit/operator-error.ts";
import type { ProviderConfig } from "./provider-config.ts";
import { readSecretVariable, type SecretVariable } from "../../packages/kit/secret-variable.ts";
import type { Variables } from "../../packages/kit/variables.ts";

/** Shortest TURNGATE_SECRET, characters. */
export const ROOT_SECRET_CHARACTERS_MIN = 32;

/** Default ports of /v1 and of the management interface. */
export const DEFAULT_PORT = 8080;
export const DEFAULT_MANAGE_PORT = 8081;

/** The format of MANAGE_URL and server.manage_url, for the schema and for messages. */
export const MANAGE_URL_PATTERN = "^https?://[^\\s/?#]+/?$";
export const MANAGE_URL_ALLOWED = "an origin, such as https://manage.example.com";

/** The format of PUBLIC_URL and server.public_url. The service has /v1 at the root of its address, below no other path. */
export const PUBLIC_URL_PATTERN = "^https?://[^\\s/?#]+(/v1)?/?$";
export const PUBLIC_URL_ALLOWED = "the address of /v1, such as https://api.example.com or https://api.example.com/v1";

export type Environment = Readonly<ReturnType<typeof readEnvironment>>;

/**
 * The values of the environment; null where a variable is not set. Throws an OperatorError that names the variable and
 * what is allowed.
 */
export function readEnvironment(variables: Variables, families: readonly ProviderFamily[]) {
  const read = (name: string) => variables[name] || null;
  const readSecret = (name: string) => readSecretVariable(name, variables);
  return {
    host: read("HOST"),
    port: readPort("PORT", read("PORT")),
    manageHost: read("MANAGE_HOST"),
    managePort: readPort("MANAGE_PORT", read("MANAGE_PORT")),
    manageUrl: readManageUrlVariable(read("MANAGE_URL")),
    publicUrl: readPublicUrlVariable(read("PUBLIC_URL")),
    databaseUrl: readSecret("DATABASE_URL"),
    configFile: read("TURNGATE_CONFIG"),
    rootSecret: readRootSecret(readSecret("TURNGATE_SECRET")),
    formerSecret: readRootSecret(readSecret("TURNGATE_FORMER_SECRET")),
    bootstrapApiKey: readBootstrapKey(readSecret("TURNGATE_BOOTSTRAP_API_KEY")),
    logLevel: readLogLevel(read("LOG_LEVEL")),
    proxies: readProxies(variables),
    /** The families that a key turns on, each under its own name. */
    providers: families.flatMap((family) => readFamily(family, read, readSecret)),
  };
}

/** The proxies for requests to providers. */
function readProxies(variables: Variables): Proxies {
  return {
    http: readProxy("HTTP_PROXY", variables),
    https: readProxy("HTTPS_PROXY", variables),
    exempt: variables["no_proxy"] || variables["NO_PROXY"] || "",
  };
}

/** Reads a proxy, whose address may hold a password. As in most programs, the lower-case name takes precedence. */
function readProxy(name: string, variables: Variables): URL | null {
  const lower = variables[name.toLowerCase()];
  const found = lower ? { value: lower, source: name, shown: lower } : readSecretVariable(name, variables);
  if (found === null) return null;
  const withScheme = (text: string) => (text.includes("://") ? text : `http://${text}`);
  const address = withScheme(found.value);
  const url = URL.parse(address);
  if (url !== null && /^https?:$/.test(url.protocol) && isDecodable(url.username + url.password)) return url;
  const shown = hideCredentials(withScheme(found.shown));
  throw new OperatorError(`${found.source} is "${shown}"; allowed: an http:// or https:// address.`);
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

function readPublicUrlVariable(text: string | null): string | null {
  return text === null ? null : readPublicUrl(text, (message) => new OperatorError(`PUBLIC_URL ${message}`));
}

/** The base URL of /v1 for clients, with `/v1` at its end. `errorOf` makes the error from a message without its subject. */
export function readPublicUrl(text: string, errorOf: (message: string) => Error): string {
  const url = new RegExp(PUBLIC_URL_PATTERN).test(text) ? URL.parse(text) : null;
  if (url !== null && url.username === "" && url.password === "") return `${url.origin}/v1`;
  throw errorOf(`is "${hideCredentials(text)}"; allowed: ${PUBLIC_URL_ALLOWED}.`);
}

function readRootSecret(found: SecretVariable | null): string | null {
  if (found === null) return null;
  const { value, source } = found;
  if (value.length >= ROOT_SECRET_CHARACTERS_MIN) return value;
  throw new OperatorError(
    `${source} has ${value.length} characters; allowed: any string of ${ROOT_SECRET_CHARACTERS_MIN} or more.`,
  );
}

function readBootstrapKey(found: SecretVariable | null): SecretVariable | null {
  if (found === null || KEY_FORMAT.read(found.value) !== null) return found;
  throw new OperatorError(
    `${found.source} is not an API key (its format or checksum is wrong); \`turngate keys mint\` makes one.`,
  );
}

function readLogLevel(text: string | null): LogLevel {
  const level = LOG_LEVELS.find((known) => known === (text ?? "info").toLowerCase());
  if (level === undefined) throw new OperatorError(`LOG_LEVEL is "${text}"; allowed: ${LOG_LEVELS.join(", ")}.`);
  return level;
}

/** A family is on when its key is set; a base URL alone only says where it would be. */
function readFamily(
  family: ProviderFamily,
  read: (name: string) => string | null,
  readSecret: (name: string) => SecretVariable | null,
): ProviderConfig[] {
  const { type, environment } = family;
  if (environment === null) return [];
  const apiKey = readSecret(environment.apiKey);
  const baseUrl = read(environment.baseUrl);
  if (baseUrl !== null && faultOfBaseUrl(baseUrl) !== null) {
    throw new OperatorError(
      `${environment.baseUrl} is "${hideCredentials(baseUrl)}"; allowed: an http:// or https:// address, without user and password.`,
    );
  }
  if (apiKey === null) return [];
  const keyFault = faultOfApiKey(apiKey.value);
  if (keyFault !== null) throw new OperatorError(`${apiKey.source} ${keyFault}.`);
  return [{ name: type, family, apiKey: apiKey.value, baseUrl, because: apiKey.source }];
}
