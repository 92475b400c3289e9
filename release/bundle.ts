/** Bundles the program with its libraries: into modules for the npm package, into one script for the single executable. */
import { fileURLToPath } from "node:url";
import { type InputOptions, type OutputOptions, type Plugin, rolldown } from "rolldown";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const INSTALLATION = `${ROOT}src/installation/installation.ts`;

/** Modules that are both loaded with others and on demand; code of libraries that says `eval`. */
const HARMLESS = new Set(["INEFFECTIVE_DYNAMIC_IMPORT", "EVAL"]);

export interface Bundle {
  /** The name of each entry, without its suffix, and its module, relative to the clone. */
  readonly entries: Readonly<Record<string, string>>;
  readonly folder: string;
  /** The installation whose files the program reads: a module of src/installation/. */
  readonly installation: "package" | "binary";
  readonly output: OutputOptions;
}

/** Writes the bundle; returns the paths of all modules in it. */
export async function writeBundle({ entries, folder, installation, output }: Bundle): Promise<readonly string[]> {
  const options: InputOptions = {
    input: { ...entries },
    cwd: ROOT,
    platform: "node",
    // An addon of pg, which nobody installs: pg asks for it lazily.
    external: ["pg-native"],
    plugins: [replaceInstallation(installation), rejectUrls()],
    onLog: (level, log) => {
      // A reference that the bundler does not understand would be a file that is missing at run time.
      if (level === "warn" && !HARMLESS.has(log.code ?? "")) throw new Error(`rolldown: ${log.message}`);
    },
  };
  await using bundle = await rolldown(options);
  const { output: written } = await bundle.write({ dir: folder, entryFileNames: "[name].js", ...output });
  return written.flatMap((each) => (each.type === "chunk" ? each.moduleIds : []));
}

function replaceInstallation(installation: string): Plugin {
  return {
    name: "replace-installation",
    async resolveId(source, importer) {
      const resolved = await this.resolve(source, importer, { skipSelf: true });
      return resolved?.id === INSTALLATION ? `${ROOT}src/installation/${installation}.ts` : null;
    },
  };
}

/** The folders of src/ whose modules may say where a file is: they are made for clone and bundle. */
const PLACES = /^(?:installation|library)\//;

/** A URL relative to any other module would point elsewhere in the bundle: such files belong to the installation. */
function rejectUrls(): Plugin {
  return {
    name: "reject-urls",
    transform(code, id) {
      const isOther = id.startsWith(`${ROOT}src/`) && !PLACES.test(id.slice(`${ROOT}src/`.length));
      if (isOther && /new URL\([^)]*import\.meta\.url/.test(code))
        throw new Error(`${id} names a file by import.meta.url`);
      return null;
    },
  };
}
