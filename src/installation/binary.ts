// The files that the program reads while it runs, inside the single executable. The store's threads get their module as a
// data URL: a thread can import that, and no file is written.
import { basename } from "node:path";
import { getAsset, getAssetKeys, getRawAsset } from "node:sea";
import { commandOfFile, startPlace } from "./command.ts";
import type { InstalledFolder } from "./folder.ts";
import type { Installation } from "./installation.ts";

const KEYS = getAssetKeys();

function folderInside(folder: string): InstalledFolder {
  return {
    list: (inside = "") => {
      const start = `${folder}${inside === "" ? "" : `${inside}/`}`;
      return KEYS.filter((key) => key.startsWith(start) && !key.slice(start.length).includes("/")).map((key) =>
        basename(key),
      );
    },
    has: (path) => KEYS.includes(folder + path),
    read: async (path) => new Uint8Array(getRawAsset(folder + path)),
    readText: (path) => getAsset(folder + path, "utf8"),
  };
}

export const installation: Installation = {
  root: folderInside(""),
  app: folderInside("files/app/"),
  migrations: {
    sqlite: folderInside("files/migrations/sqlite/"),
    postgres: folderInside("files/migrations/postgres/"),
  },
  reference: folderInside("files/reference/"),
  get storeThread() {
    return `data:text/javascript;base64,${Buffer.from(getRawAsset("store-thread.js")).toString("base64")}`;
  },
  openLibraries: async () => {
    const { INSTALL_HERE, librariesBeside } = await import("./libraries.ts");
    return librariesBeside(process.execPath, INSTALL_HERE, startPlace().folder);
  },
  command: commandOfFile(process.execPath, startPlace()),
};
