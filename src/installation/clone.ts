// Where a clone keeps the files that the program reads while it runs: for the sources and for what is built from them.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandOfFile, quote, type StartPlace, startPlace } from "./command.ts";
import { folderOnDisk } from "./folder.ts";

/** The clone, two folders above this module: in src/installation/ and, built, in dist/program/. */
const ROOT = new URL("../../", import.meta.url);

/** The installation of a clone. `storeThread` is the module of the store's threads, relative to the clone. */
export function installationOfClone(storeThread: string) {
  return {
    root: folderOnDisk(ROOT),
    app: folderOnDisk(new URL("app/dist/", ROOT)),
    migrations: {
      sqlite: folderOnDisk(new URL("src/store/sqlite/migrations/", ROOT)),
      postgres: folderOnDisk(new URL("src/store/postgres/migrations/", ROOT)),
    },
    // By its path: what is built of a module cannot ask where a package is.
    reference: folderOnDisk(new URL("node_modules/swagger-ui-dist/", ROOT)),
    storeThread: new URL(storeThread, ROOT).href,
    openLibraries: async () => {
      const { librariesBeside } = await import("./libraries.ts");
      const place = startPlace();
      return librariesBeside(fileURLToPath(new URL("package.json", ROOT)), installInClone(place), place.folder);
    },
    command: commandFrom(startPlace()),
  };
}

/** The clone's lockfile has the versions of all that they need. A clone with the packages for development has them already. */
function installInClone({ folder }: StartPlace): string {
  const clone = fileURLToPath(ROOT);
  const at = join(folder, "/") === clone ? "" : ` --prefix ${quote(clone)}`;
  return `npm install${at} --no-save --save-prod --omit=dev`;
}

/** npm finds the command in the clone's folder only. Elsewhere it may be installed, as in the image and beside the systemd unit. */
function commandFrom(place: StartPlace): string {
  if (join(place.folder, "/") === fileURLToPath(ROOT)) return "npm run -s turngate --";
  return commandOfFile(fileURLToPath(new URL("bin/turngate.js", ROOT)), place);
}
