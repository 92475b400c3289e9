// The environment variables, read once into checked values. A variable that is set to nothing counts as not set.
import { readKey } from "../core/accounts/keys.ts";
import { LOG_LEVELS, type LogLevel } from "../system/log-levels.ts";
import { faultOfApiKey, faultOfBaseUrl } from "../providers/family.ts";
import { hideCredentials } from "./hide-credentials.ts";
import { OperatorError } from "./operator-error.ts";
import type { ProviderConfig } from "./provider-config.ts";

/** Shortest TURNGATE_SECRET, characters. */
export const ROOT_SECRET_CHARACTERS_MIN = 32;

/** Where /v1 and the management interface are served when nobody says otherwise. */
export const DEFAULT_PORT = 8080;
export const DEFAULT_MANAGE_PORT = 8081;

/** What MANAGE_URL and server.manage_url may be. */
export const MANAGE_URL_PATTERN = "^https?://[^\\s/?#]+/?$";
export const MANAGE_URL_ALLOWED = "an origin, such as https://manage.example.com";

/** What the environment says; null where it says nothing. */
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
  /** The provider families that a key turns on, named as they are. */
  readonly providers: readonly ProviderConfig[];
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** Reads the variables; throws an OperatorError naming the variable and what is allowed. */
export function readEnvironment(variables: Variables): Environment {
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
    providers: [
      ...readFamily("anthropic", read("ANTHROPIC_API_KEY"), read("ANTHROPIC_BASE_URL")),
      ...readFamily("gemini", read("GEMINI_API_KEY"), read("GEMINI_BASE_URL")),
      ...readFamily("openai", read("OPENAI_API_KEY"), read("OPENAI_BASE_URL")),
    ],
  };
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
 * The origin as browsers write it, in lower case and without a default port: what they send is compared with it. Throws the error that
 * `wrong` makes of the end of a sentence.
 */
export function readManageUrl(text: string, wrong: (message: string) => Error): string {
  const url = new RegExp(MANAGE_URL_PATTERN).test(text) ? URL.parse(text) : null;
  if (url !== null && url.username === "" && url.password === "") return url.origin;
  throw wrong(`is "${hideCredentials(text)}"; allowed: ${MANAGE_URL_ALLOWED}.`);
}

function readRootSecret(text: string | null): string | null {
  if (text !== null && text.length < ROOT_SECRET_CHARACTERS_MIN) {
    throw new OperatorError(
      `TURNGATE_SECRET has ${text.length} characters; allowed: any text of ${ROOT_SECRET_CHARACTERS_MIN} or more.`,
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
function readFamily(
  type: "anthropic" | "gemini" | "openai",
  apiKey: string | null,
  baseUrl: string | null,
): ProviderConfig[] {
  const name = type.toUpperCase();
  if (baseUrl !== null && faultOfBaseUrl(baseUrl) !== null) {
    throw new OperatorError(
      `${name}_BASE_URL is "${hideCredentials(baseUrl)}"; allowed: an http:// or https:// address, without user and password.`,
    );
  }
  const keyFault = apiKey === null ? null : faultOfApiKey(apiKey);
  if (keyFault !== null) throw new OperatorError(`${name}_API_KEY ${keyFault}.`);
  return apiKey === null ? [] : [{ name: type, type, apiKey, baseUrl }];
}
