// Packages that some configurations need and that do not come with the program. They are looked for beside the program, then in
// the folder where it was started.
import { createRequire } from "node:module";
import { join } from "node:path";

export interface OptionalLibraries {
  has(name: string): boolean;
  /** Loads a package. Rejects when it is not installed. */
  load(name: string): Promise<unknown>;
  /** The line for a shell, in the folder of the start, that installs packages: `name@version`. */
  installLine(packages: readonly string[]): string;
}

/** The libraries of a program whose file is `place`; `install` is the beginning of the line. */
export function librariesBeside(place: string, install: string, startFolder: string): OptionalLibraries {
  const places = [place, join(startFolder, "turngate.yaml")].map((path) => createRequire(path));
  const find = (name: string) => places.find((require) => canResolve(require, name));
  return {
    has: (name) => find(name) !== undefined,
    async load(name) {
      const require = find(name);
      if (require === undefined) throw new Error(`the package ${name} is not installed`);
      return require(name) as unknown;
    },
    installLine: (packages) => `${install} ${packages.join(" ")}`,
  };
}

/** The packages of the folder of the start. */
export const INSTALL_HERE = "npm install --prefix .";

function canResolve(require: NodeJS.Require, name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}
