// Where the npm package keeps the files that the program reads while it runs. The bundled modules are in lib/.
import { fileURLToPath } from "node:url";
import { commandOfPackage, startPlace } from "./command.ts";
import { folderOnDisk } from "./folder.ts";
import type { Installation } from "./installation.ts";

const ROOT = new URL("../", import.meta.url);

export const installation: Installation = {
  root: folderOnDisk(ROOT),
  app: folderOnDisk(new URL("files/app/", ROOT)),
  migrations: {
    sqlite: folderOnDisk(new URL("files/migrations/sqlite/", ROOT)),
    postgres: folderOnDisk(new URL("files/migrations/postgres/", ROOT)),
  },
  reference: folderOnDisk(new URL("files/reference/", ROOT)),
  storeThread: new URL("lib/store-thread.cjs", ROOT).href,
  openLibraries: async () => {
    const { INSTALL_HERE, librariesBeside } = await import("./libraries.ts");
    return librariesBeside(fileURLToPath(new URL("package.json", ROOT)), INSTALL_HERE, startPlace().folder);
  },
  command: commandOfPackage(fileURLToPath(ROOT), startPlace()),
};
