// Where the files are that the program reads while it runs: here those of a clone that runs its sources. A build replaces
// this module by the one of a built clone, of the npm package or of the single executable.
import { installationOfClone } from "./clone.ts";
import type { InstalledFolder } from "./folder.ts";
import type { OptionalLibraries } from "./libraries.ts";

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
  /** Packages that do not come with the program. */
  readonly openLibraries: () => Promise<OptionalLibraries>;
  /** How a shell runs the command, without its arguments. */
  readonly command: string;
}

export const installation: Installation = installationOfClone("src/store/sqlite/workers/worker.ts");
