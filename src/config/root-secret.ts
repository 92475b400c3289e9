// The root secret: TURNGATE_SECRET, or a file beside the embedded database, created on first use.
import { randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../installation/make-folder.ts";
import type { Config } from "./config.ts";
import type { RootSecrets } from "../contract/root-secrets.ts";
import { type DatabaseConfig, DEFAULT_DATABASE, describeDatabase } from "./database-url.ts";
import { ROOT_SECRET_CHARACTERS_MIN } from "./environment.ts";
import { OperatorError } from "../../packages/kit/operator-error.ts";

const SECRET_BYTES = 48;

type SecretSource = Pick<Config, "rootSecret" | "formerSecret" | "database">;

/** The file that holds the root secret of a database: beside an embedded one, else where an embedded one would be. */
export function secretPathOf({ engine, location }: DatabaseConfig): string {
  return join(dirname(engine === "sqlite" ? location : DEFAULT_DATABASE.location), "secret");
}

/** The file that holds the root secret before the one of `secretPathOf`, while hashes of it are left. */
export function formerPathOf(database: DatabaseConfig): string {
  return `${secretPathOf(database)}.former`;
}

/** Whether there is a root secret. */
export function hasRootSecret({ rootSecret, database }: SecretSource): boolean {
  return rootSecret !== null || existsSync(secretPathOf(database));
}

/**
 * Reads the root secret, and the former one while it is being rotated. Creates it, and the data folder, when there is neither a secret nor a database (`isNew`).
 * Throws an OperatorError when only the secret is missing: a new one would silently invalidate every key of that
 * database.
 */
export function readRootSecrets(source: SecretSource, isNew: boolean): RootSecrets {
  const current = readCurrent(source, isNew);
  if (source.rootSecret !== null) return { current, former: source.formerSecret };
  const path = formerPathOf(source.database);
  return { current, former: existsSync(path) ? readSecretFile(path) : null };
}

function readCurrent({ rootSecret, database }: SecretSource, isNew: boolean): string {
  if (rootSecret !== null) return rootSecret;
  const path = secretPathOf(database);
  if (!existsSync(path)) {
    if (!isNew) throw new OperatorError(describeMissing(path, describeDatabase(database)));
    explained(path, () => makeSecret(path));
  }
  return readSecretFile(path);
}

function readSecretFile(path: string): string {
  return explained(path, () => checkSecret(readFileSync(path, "utf8").trim(), path));
}

/** Does work on a file. Throws an OperatorError that names it. */
function explained<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof OperatorError || !(error instanceof Error)) throw error;
    throw new OperatorError(`the root secret ${path} can't be read or created: ${error.message}`, { cause: error });
  }
}

/**
 * Puts a new root secret into the file, and the present one into that of the former. Whatever interrupts it, the present
 * one is in one of them, and with both a start accepts its hashes. Throws an OperatorError.
 */
export function replaceRootSecret(database: DatabaseConfig): void {
  const path = secretPathOf(database);
  const former = formerPathOf(database);
  explained(path, () => {
    const draft = `${path}.${process.pid}`;
    try {
      // Whole at once, and never in place of a former one that is still needed.
      linkSync(path, former);
      writeFileSync(draft, `${randomBytes(SECRET_BYTES).toString("base64url")}\n`, { mode: 0o600, flush: true });
      renameSync(draft, path);
    } finally {
      rmSync(draft, { force: true });
    }
  });
}

function describeMissing(path: string, database: string): string {
  return `the database ${database} exists, but its root secret ${path} does not: without it no API key can be checked. Restore the file, or set TURNGATE_SECRET.`;
}

/** The message for a root secret that does not belong to the database. */
export function describeForeignSecret({ rootSecret, database }: SecretSource): string {
  const source = rootSecret === null ? secretPathOf(database) : "TURNGATE_SECRET";
  return `${source} is not the root secret that the keys of ${describeDatabase(database)} were created with, so all of them would be rejected. Restore the former secret.`;
}

function makeSecret(path: string): void {
  makeFolder(dirname(path));
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, `${randomBytes(SECRET_BYTES).toString("base64url")}\n`, { mode: 0o600, flush: true });
    // link() is atomic and never replaces a file: two concurrent first starts read the same secret.
    linkSync(draft, path);
  } catch (error) {
    if (!existsSync(path)) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function checkSecret(secret: string, path: string): string {
  if (secret.length < ROOT_SECRET_CHARACTERS_MIN) {
    throw new OperatorError(
      `the root secret ${path} has ${secret.length} characters; allowed: ${ROOT_SECRET_CHARACTERS_MIN} or more.`,
    );
  }
  return secret;
}

/** Whether users other than the owner can read the file. */
export function isSecretExposed(path: string): boolean {
  return (statSync(path).mode & 0o077) !== 0;
}
