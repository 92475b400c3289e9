/** Bundles the program with its libraries: into modules for the npm package, into one script for the single executable. */
import { fileURLToPath } from "node:url";
import { type InputOptions, type OutputOptions, type Plugin, rolldown } from "rolldown";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const INSTALLATION = `${ROOT}src/installation/installation.ts`;

/** The modules that a process of the service starts with: the command line, and the threads of the embedded store. */
export const PROGRAM_ENTRIES = { main: "src/main.ts", "store-thread": "src/store/sqlite/workers/worker.ts" };

/** Modules that are both loaded with others and on demand; code of libraries that says `eval`. */
const HARMLESS = new Set(["INEFFECTIVE_DYNAMIC_IMPORT", "EVAL"]);

/** An addon that pg loads if somebody has installed it. */
const NEVER_LOADED = ["pg-native"];

export interface Bundle {
  /** The name of each entry, without its suffix, and its module, relative to the clone. */
  readonly entries: Readonly<Record<string, string>>;
  readonly folder: string;
  /** The installation whose files the program reads: a module of src/installation/. */
  readonly installation: "package" | "binary" | "built-clone";
  /** Other output than CommonJS modules, which start faster than ES modules: those load all of node:http, its WebSocket included. */
  readonly output: OutputOptions;
}

/** Writes the bundle; returns the paths of all modules in it. */
export async function writeBundle({ entries, folder, installation, output }: Bundle): Promise<readonly string[]> {
  const options: InputOptions = {
    input: { ...entries },
    cwd: ROOT,
    platform: "node",
    external: NEVER_LOADED,
    plugins: [replaceInstallation(installation), rejectPlaces(), escapeCharacters()],
    onLog: (level, log) => {
      // A reference that the bundler does not understand would be a file that is missing at run time.
      if (level === "warn" && !HARMLESS.has(log.code ?? "")) throw new Error(`rolldown: ${log.message}`);
    },
  };
  await using bundle = await rolldown(options);
  const { output: written } = await bundle.write({
    dir: folder,
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    // V8 keeps the text of all scripts in memory. Names and lines stay as they are, so that stack traces can be read without source maps.
    comments: false,
    ...output,
  });
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

function rejectPlaces(): Plugin {
  return {
    name: "reject-places",
    transform(code, id) {
      if (asksForPlace(id, code)) throw new Error(`${id} says import.meta: put its file into src/installation/.`);
      return null;
    },
  };
}

/** The folders of src/ whose modules may ask where they are: they are made for clone and bundle. */
const PLACES = /^(?:installation|library)\//;

/** Whether a module of ours finds files by its own place, which is another one in a bundle. */
export function asksForPlace(path: string, code: string): boolean {
  if (path.startsWith(`${ROOT}packages/`)) return /\bimport\.meta\b/.test(code);
  if (!path.startsWith(`${ROOT}src/`) || PLACES.test(path.slice(`${ROOT}src/`.length))) return false;
  return /\bimport\.meta\b/.test(code);
}

const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** V8 keeps the text of a script, with two bytes for every character if one of them is not Latin-1. */
function escapeCharacters(): Plugin {
  return {
    name: "escape-characters",
    // After everything else: the bundler prints literals as they are.
    generateBundle(_options, bundle) {
      for (const each of Object.values(bundle)) {
        if (each.type === "chunk") each.code = each.code.replace(/[^\0-\x7f]/g, escape);
      }
    },
  };
}
