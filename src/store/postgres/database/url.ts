// The address of a PostgreSQL database, as in DATABASE_URL. See docs/configuration.md
import pg from "pg";
import { StoreError } from "../../../ports/store/store.ts";

/** Where a store's tables are and how they are reached. */
export interface PostgresTarget {
  /** Settings of each connection, without timeouts. They contain the password. */
  readonly connection: pg.ClientConfig;
  /** The schema that holds the store's tables. */
  readonly schema: string;
  /** Whether statements are prepared by name, once per connection. Some poolers do not support that. */
  readonly preparesStatements: boolean;
  /** The address without user and password, for messages. */
  readonly display: string;
}

const DEFAULT_SCHEMA = "turngate";
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;
const SSL_MODES: readonly string[] = ["disable", "require", "verify-ca", "verify-full"];

/** Parameters that the driver understands. */
const DRIVER_PARAMETERS: readonly string[] = [
  "user",
  "password",
  "host",
  "port",
  "application_name",
  "options",
  "sslmode",
  "sslcert",
  "sslkey",
  "sslrootcert",
  "sslnegotiation",
];
const OWN_PARAMETERS: readonly string[] = ["schema", "prepare"];

/**
 * Parses `postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETERS`. What it leaves out comes from the PG* variables.
 * Throws a StoreError (`failed`) whose message says what is wrong, without any part of the address that may be secret.
 */
export function parsePostgresUrl(text: string): PostgresTarget {
  const url = parseUrl(text);
  const parameters = readParameters(url);
  const schema = parameters["schema"] ?? DEFAULT_SCHEMA;
  if (!SCHEMA.test(schema) || schema.startsWith("pg_"))
    throw invalid("schema must be a name of lower-case letters, digits and _, and must not begin with pg_");
  const prepare = parameters["prepare"] ?? "true";
  if (prepare !== "true" && prepare !== "false") throw invalid("prepare must be true or false");
  checkTls(parameters);
  for (const name of OWN_PARAMETERS) url.searchParams.delete(name);
  // The meaning that PostgreSQL's documentation gives to sslmode; the driver's own differs.
  if (parameters["sslmode"] !== undefined) url.searchParams.set("uselibpqcompat", "true");
  const connection = { application_name: "turngate", connectionString: url.href };
  return { connection, schema, preparesStatements: prepare === "true", display: displayOf(connection) };
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !["postgres:", "postgresql:"].includes(url.protocol) || url.hash !== "")
    throw new StoreError(
      "failed",
      "The database address cannot be read. Write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters of the password percent-encoded.",
    );
  return url;
}

function readParameters(url: URL): Readonly<Record<string, string>> {
  const known = [...OWN_PARAMETERS, ...DRIVER_PARAMETERS];
  for (const name of url.searchParams.keys())
    if (!known.includes(name)) throw invalid(`it has an unknown parameter; these are known: ${known.join(", ")}`);
  return Object.fromEntries(url.searchParams);
}

function checkTls({ sslmode, sslrootcert }: Readonly<Record<string, string>>): void {
  if (sslmode !== undefined && !SSL_MODES.includes(sslmode))
    throw invalid(`sslmode must be ${SSL_MODES.slice(0, -1).join(", ")} or ${SSL_MODES.at(-1)}`);
  if (sslmode === "verify-ca" && sslrootcert === undefined) throw invalid("sslmode=verify-ca needs sslrootcert");
}

/** The address as the driver understands it, PG* variables included. */
function displayOf(connection: pg.ClientConfig): string {
  try {
    const { host, port, database } = new pg.Client(connection);
    return `postgres://${host.startsWith("/") ? encodeURIComponent(host) : host}:${port}/${database ?? ""}`;
  } catch (error) {
    throw invalid(
      isFileError(error) ? `${error.path ?? "a file"} cannot be read (${error.code})` : "the driver rejects it",
    );
  }
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && "code" in error;
}

function invalid(reason: string): StoreError {
  return new StoreError("failed", `The database address is not valid: ${reason}.`);
}
