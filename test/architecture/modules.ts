// The modules of src/ and what each imports. A reader of its own, since the usual ones need TypeScript 6's parser and report
// zero modules without it.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";

/** A source file: its path below src/, its text without comments, what it imports. */
export interface Module {
  readonly path: string;
  readonly code: string;
  readonly imports: readonly Import[];
}

export interface Import {
  /** As written, `./x.ts` or `node:fs`. */
  readonly specifier: string;
  /** Path below src/ for an import of our own, else null. */
  readonly target: string | null;
  readonly isTypeOnly: boolean;
  /** Loaded on demand, by `import(…)`; absent: with the module. */
  readonly isDynamic?: true;
}

/** The modules of src/, and those of packages/ with paths such as `../packages/kit/lock.ts`. */
export function readProgram(): readonly Module[] {
  const root = join(import.meta.dirname, "../..");
  return [...readModules(join(root, "src")), ...readModules(join(root, "packages"), "../packages/")];
}

/** Every module below a folder, tests beside them left out; each path begins with `prefix`. */
export function readModules(root: string, prefix = ""): readonly Module[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .map((path) => parseModule(prefix + path.split(sep).join("/"), readFileSync(join(root, path), "utf8")))
    .toSorted((a, b) => a.path.localeCompare(b.path));
}

/** Parses one module's text. */
export function parseModule(path: string, text: string): Module {
  const code = withoutComments(text);
  return { path, code: withoutTexts(code), imports: findImports(path, code) };
}

/** `import … from "x"`, `export … from "x"`, `import "x"`, `import("x")`, over as many lines as they take. */
const STATEMENT = /\b(?:import|export)\s+(type\s+)?([\w*{}\s,$]*?)\s*\bfrom\s*["']([^"'\n]+)["']/g;
const BARE = /\bimport\s*(\(?)\s*["']([^"'\n]+)["']/g;

function findImports(path: string, code: string): Import[] {
  const found = [...code.matchAll(STATEMENT)].map(([, type, names = "", specifier = ""]) =>
    resolve(path, specifier, type !== undefined || namesOnlyTypes(names)),
  );
  const bare = [...code.matchAll(BARE)].map(([, parenthesis, specifier = ""]): Import => {
    const loaded = resolve(path, specifier, false);
    return parenthesis === "(" ? { ...loaded, isDynamic: true } : loaded;
  });
  return [...found, ...bare];
}

/** `{ type A, type B }`. */
function namesOnlyTypes(names: string): boolean {
  const listed = /^\{(.*)\}$/s.exec(names.trim());
  if (listed === null) return false;
  const parts = (listed[1] ?? "").split(",").map((part) => part.trim());
  return parts.every((part) => part === "" || part.startsWith("type "));
}

function resolve(path: string, specifier: string, isTypeOnly: boolean): Import {
  const isOurs = specifier.startsWith(".");
  const target = isOurs
    ? normalize(join(dirname(path), specifier))
        .split(sep)
        .join("/")
    : null;
  return { specifier, target, isTypeOnly };
}

/** Comments, and strings that may look like one. */
const COMMENT_OR_TEXT = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;

export function withoutComments(text: string): string {
  return text.replace(COMMENT_OR_TEXT, (match) => (match.startsWith("/") ? " " : match));
}

/** Strings are removed too, but not the `${…}` of templates, which are code. */
function withoutTexts(code: string): string {
  return code.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""');
}
