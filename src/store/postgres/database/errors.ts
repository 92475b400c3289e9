// Maps errors of PostgreSQL and of its connections to the port's errors.
import pg from "pg";
import { AccountError } from "../../../ports/store/accounts.ts";
import { StoreError } from "../../../ports/store/store.ts";

/**
 * Classes and codes after which nothing was changed and a later attempt may succeed. See
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE = [
  "08", // connection
  "25006", // read-only: a standby, or a primary that is stepping down
  "25P03", // the session was ended: its transaction was not continued in time
  "25P04", // the session was ended: its transaction took too long
  "28", // rejected credentials: a password is changed in one place first
  "40", // transaction rolled back
  "53", // out of disk, memory or connections
  "55P03", // lock timeout
  "57", // statement timeout, shutdown, starting up
];

/** Deadlock, serialization failure, and a row that another transaction has inserted first. */
const RETRIED: ReadonlySet<string> = new Set(["40001", "40P01", "23505"]);

/** The server ended the session or changed its role: the connection is unusable. */
const ENDS_CONNECTION = ["08", "25006", "25P03", "25P04", "57P01", "57P02", "57P03", "57P05"];

/** Classes whose messages contain values of rows or parameters. */
const CONTAINS_VALUES = ["21", "22", "23", "P0"];

/** The error that the port's caller gets. AccountErrors and StoreErrors are returned as they are. */
export function toStoreError(error: unknown): StoreError | AccountError {
  if (error instanceof StoreError || error instanceof AccountError) return error;
  if (error instanceof pg.DatabaseError) return fromServer(error);
  if (isConnectionError(error)) {
    return new StoreError("unavailable", `PostgreSQL is unreachable: ${messageOf(error)}.`, { cause: error });
  }
  return new StoreError("failed", messageOf(error), { cause: error });
}

/** The server's certificate is not trusted, or not its own. */
const TLS_CODE = /CERT|SIGNATURE|SIGNED|ISSUER/;

/**
 * Whether an error of a connection lasts until somebody changes the configuration or the server: credentials and TLS. A
 * service that has never connected does not wait for that.
 */
export function isMisconfigured(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return matches(error.code, ["28"]);
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return (
    (typeof code === "string" && TLS_CODE.test(code)) || error.message.startsWith("The server does not support SSL")
  );
}

/** Whether the whole call may succeed when it runs again at once. */
export function isRetried(error: unknown): boolean {
  return error instanceof pg.DatabaseError && RETRIED.has(error.code ?? "");
}

/** Whether a connection cannot be used after this error. */
export function endsConnection(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return matches(error.code, ENDS_CONNECTION);
  return isConnectionError(error);
}

/** A prepared statement is missing, or exists already: the pooler gave the session to another client. */
const LOST_STATEMENT = ["26000", "42P05"];

/** Whether a connection ended under a transaction, and another one may serve it. */
export function isConnectionLoss(error: unknown): boolean {
  return endsConnection(error) && messageOf(error) !== READ_TIMEOUT;
}

const READ_TIMEOUT = "Query read timeout";

function fromServer(error: pg.DatabaseError): StoreError {
  if (matches(error.code, LOST_STATEMENT)) {
    const message = "A pooler does not keep prepared statements; add prepare=false to the database address.";
    return new StoreError("failed", message, { cause: error });
  }
  const kind = matches(error.code, UNAVAILABLE) ? "unavailable" : "failed";
  if (!matches(error.code, CONTAINS_VALUES)) {
    return new StoreError(kind, `PostgreSQL: ${error.message} (${error.code}).`, { cause: error });
  }
  const where = error.constraint ?? error.table;
  return new StoreError(kind, `PostgreSQL: error ${error.code}${where === undefined ? "" : ` at ${where}`}.`);
}

function matches(code: string | undefined, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => code?.startsWith(prefix));
}

/** Messages of the driver for connections that ended or were not made in time; they have no code. */
const CONNECTION_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|The server does not support SSL|Cannot use a pool after calling end)/;

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof StoreError) return false;
  // Errors of sockets, of name resolution and of TLS have a code in capitals.
  const { code } = error as NodeJS.ErrnoException;
  return (
    (typeof code === "string" && /^[A-Z][A-Z_0-9]+$/.test(code) && !code.startsWith("ERR_INVALID")) ||
    CONNECTION_MESSAGE.test(error.message)
  );
}

function messageOf(error: unknown): string {
  // The host has several IP addresses, and each of them failed.
  if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
