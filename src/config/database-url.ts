// The database URL: `sqlite:PATH`, relative to the working directory, or `postgres://…`.
import { hideCredentials } from "../../packages/kit/addresses.ts";

/** The database of the store: its engine, and the file's path or the database's URL. */
export interface DatabaseConfig {
  readonly engine: "sqlite" | "postgres";
  readonly location: string;
}

/** The database of an environment without a setting. */
export const DEFAULT_DATABASE: DatabaseConfig = { engine: "sqlite", location: "./data/turngate.db" };

/** The database that a URL names; `errorOf` makes the error from a message without its subject, which has the URL as `shown`. */
export function readDatabaseUrl(url: string, errorOf: (message: string) => Error, shown = url): DatabaseConfig {
  if (/^postgres(ql)?:/.test(url)) return { engine: "postgres", location: url };
  // `sqlite://./data/x.db` and `sqlite:///var/x.db` are common spellings; the two slashes are not part of the path.
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  if (path === undefined || path === ":memory:")
    throw errorOf(
      `is "${hideCredentials(shown)}"; allowed: sqlite:PATH, such as sqlite:./data/turngate.db, and postgres://USER:PASSWORD@HOST:PORT/DATABASE.`,
    );
  return { engine: "sqlite", location: path };
}

/** The database in a message, without user and password. */
export function describeDatabase({ location }: DatabaseConfig): string {
  return hideCredentials(location);
}
