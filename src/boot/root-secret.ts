// The root secret: TURNGATE_SECRET, or a file beside the embedded database, made on the first use.
import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "./config.ts";
import { ROOT_SECRET_CHARACTERS_MIN } from "./environment.ts";
import { OperatorError } from "./operator-error.ts";

const SECRET_BYTES = 48;

/** Where the root secret of a database is kept. */
export function secretPathOf(databasePath: string): string {
  return join(dirname(databasePath), "secret");
}

/**
 * The root secret. Made (with the data folder) when there is neither a secret nor a database; an OperatorError when only the
 * secret is missing: a new one would make every key of that database worthless without a word.
 */
export function readRootSecret(config: Pick<Config, "rootSecret" | "databasePath">): string {
  if (config.rootSecret !== null) return config.rootSecret;
  const path = secretPathOf(config.databasePath);
  try {
    if (!existsSync(path)) {
      if (existsSync(config.databasePath)) throw new OperatorError(describeMissing(path, config.databasePath));
      makeSecret(path);
    }
    return checkSecret(readFileSync(path, "utf8").trim(), path);
  } catch (error) {
    if (error instanceof OperatorError || !(error instanceof Error)) throw error;
    throw new OperatorError(`the root secret ${path} can't be read or made: ${error.message}`, { cause: error });
  }
}

function describeMissing(path: string, databasePath: string): string {
  return `the database ${databasePath} is there but its root secret ${path} is not: without it no API key can be checked. Put it back, or set TURNGATE_SECRET.`;
}

/** That the root secret which is given is not the one of the database. */
export function describeForeignSecret({
  rootSecret,
  databasePath,
}: Pick<Config, "rootSecret" | "databasePath">): string {
  const source = rootSecret === null ? secretPathOf(databasePath) : "TURNGATE_SECRET";
  return `${source} is not the root secret that the keys of ${databasePath} were made with: every one would be refused. Give the former one.`;
}

function makeSecret(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, `${randomBytes(SECRET_BYTES).toString("base64url")}\n`, { mode: 0o600, flush: true });
    // A link is made whole or not at all, and never replaces: of two first starts at once both read the same secret.
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

/** Whether others than its owner may read the file of the root secret. */
export function isSecretExposed(path: string): boolean {
  return (statSync(path).mode & 0o077) !== 0;
}
