// Where a clone keeps the files that the program reads while it runs. A build replaces this module by the one of the
// npm package or of the single executable.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { folderOnDisk, type InstalledFolder } from "./folder.ts";

export interface Installation {
  /** Has package.json. */
  readonly root: InstalledFolder;
  /** The built management app. */
  readonly app: InstalledFolder;
  /** The migrations of each engine of the store. */
  readonly migrations: Readonly<Record<"sqlite" | "postgres", InstalledFolder>>;
  /** The files of Swagger UI. */
  readonly reference: InstalledFolder;
  /** The URL of the module that the embedded store's threads run. */
  readonly storeThread: string;
  /** How a shell runs the command, without its arguments. */
  readonly command: string;
}

const ROOT = new URL("../../", import.meta.url);

export const installation: Installation = {
  root: folderOnDisk(ROOT),
  app: folderOnDisk(new URL("app/dist/", ROOT)),
  migrations: {
    sqlite: folderOnDisk(new URL("src/store/sqlite/migrations/", ROOT)),
    postgres: folderOnDisk(new URL("src/store/postgres/migrations/", ROOT)),
  },
  reference: folderOnDisk(new URL(".", import.meta.resolve("swagger-ui-dist/package.json"))),
  storeThread: new URL("src/store/sqlite/workers/worker.ts", ROOT).href,
  command: commandFrom(process.cwd()),
};

/**
 * npm finds the command in the clone's folder only. Elsewhere it is `turngate` where that is installed, as in the image and beside the systemd
 * unit, else the file in bin/.
 */
function commandFrom(folder: string): string {
  if (join(folder, "/") === fileURLToPath(ROOT)) return "npm run -s turngate --";
  const isInstalled = (process.env["PATH"] ?? "").split(delimiter).some((each) => existsSync(join(each, "turngate")));
  return isInstalled ? "turngate" : fileURLToPath(new URL("bin/turngate.js", ROOT));
}
