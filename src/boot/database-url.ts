// Where the database is: `sqlite:PATH`, the path from where the service is started.
import { hideCredentials } from "./hide-credentials.ts";

/** The path of the database file; throws the error that `wrong` makes of the end of a sentence. */
export function readDatabaseUrl(url: string, wrong: (message: string) => Error): string {
  if (/^postgres(ql)?:/.test(url)) {
    throw wrong(
      "names a PostgreSQL database, but PostgreSQL support is not built in this release; allowed: sqlite:PATH.",
    );
  }
  // `sqlite://./data/x.db` and `sqlite:///var/x.db` are common spellings: the two slashes are no part of the path.
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  if (path === undefined || path === ":memory:")
    throw wrong(`is "${hideCredentials(url)}"; allowed: sqlite:PATH, such as sqlite:./data/turngate.db.`);
  return path;
}
