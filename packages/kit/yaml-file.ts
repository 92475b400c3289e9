// Parses YAML into plain values, inserts environment variables for ${NAME}, and keeps the line of each value. `$${` stands
// for the text `${`.
import { isCollection, isMap, isPair, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from "yaml";
import type { Variables } from "./variables.ts";
import { OperatorError } from "./operator-error.ts";
import { readSecretVariable } from "./secret-variable.ts";

/** The path of a value: keys and indexes from the top. */
export type Path = readonly (string | number)[];

export interface YamlFile {
  readonly value: unknown;
  /** The line (from 1) of the value at a path, or of the nearest value around it. */
  lineOf(path: Path): number;
  /** Whether the value contains an environment variable: it may be a secret, and is always a string. */
  isSubstituted(path: Path): boolean;
}

/**
 * Placeholders for the `$`, `{` and `}` of ${NAME} during parsing: within `{ … }` or `[ … ]` YAML would take the braces as its own. Unicode
 * noncharacters, which no text contains; one for each character, so that positions stay the same.
 */
const MASKS = ["\ufdd0", "\ufdd1", "\ufdd2"] as const;
const mask = (source: string) => source.replace(/\$\{([\w.-]*)\}/g, `${MASKS[0]}${MASKS[1]}$1${MASKS[2]}`);
const unmask = (text: string) =>
  text.replace(/[\ufdd0-\ufdd2]/g, (found) => "${}"[MASKS.indexOf(found as never)] ?? "");

/** The most values that the aliases of a file may stand for: aliases of aliases multiply. */
const ALIASED_VALUES_MAX = 500_000;

/** Parses a YAML text; throws an OperatorError with file and line for invalid YAML and for every unknown ${NAME}. */
export function readYaml(file: string, source: string, variables: Variables): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(mask(source), { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  // An unknown tag (`!env NAME`) is only a warning of the library, which would take the text after it literally.
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined) {
    // The library's message is written for programmers.
    const message =
      fault.code === "MULTIPLE_DOCS"
        ? "the file contains more than one document; allowed: one, without a --- line inside."
        : `invalid YAML: ${unmask(fault.message)}`;
    throw new OperatorError(`${file}:${lineAt(fault.pos[0])}: ${message}`);
  }

  const sizes = new Map<unknown, number>();
  /** The number of values in a node without aliases. */
  const sizeOf = (node: unknown): number => {
    const known = sizes.get(node);
    if (known !== undefined) return known;
    const parts = isCollection(node) ? node.items : isPair(node) ? [node.key, node.value] : [];
    const size = parts.reduce<number>((sum, part) => sum + sizeOf(part), 1);
    sizes.set(node, size);
    return size;
  };

  /** The newest node of each anchor. */
  const anchors = new Map<string | undefined, Node>();
  let aliasedValues = 0;
  const substituted = new Set<Node>();
  const missing = new Map<string, MissingVariable>();
  visit(document, {
    Collection: (_, collection) => void anchors.set(collection.anchor, collection),
    Scalar: (key, scalar) => {
      anchors.set(scalar.anchor, scalar);
      if (typeof scalar.value !== "string") return;
      const text = unmask(scalar.value);
      scalar.value = text;
      if (key === "key" || !text.includes("${")) return;
      scalar.value = substitute(text, { variables, file, line: lineAt(scalar.range?.[0] ?? 0), missing });
      if (text.replaceAll(ESCAPED, "").includes("${")) substituted.add(scalar);
    },
    // Each alias is replaced by its node: the library would look through the whole document for it.
    Alias: (key, alias, around) => {
      const anchored = anchors.get(alias.source);
      const line = lineAt(alias.range?.[0] ?? 0);
      if (anchored === undefined)
        throw new OperatorError(`${file}:${line}: the alias "${alias.source}" has no anchor before it.`);
      if (around.includes(anchored))
        throw new OperatorError(`${file}:${line}: the alias "${alias.source}" is inside its own anchor.`);
      aliasedValues += sizeOf(anchored);
      if (aliasedValues > ALIASED_VALUES_MAX)
        throw new OperatorError(`${file}:${line}: there are too many nested aliases.`);
      const holder = around.at(-1);
      if (isSeq(holder)) holder.items[Number(key)] = anchored;
      else if (isPair(holder)) holder[key === "key" ? "key" : "value"] = anchored;
    },
  });

  if (missing.size > 0) throw new OperatorError(describeMissing(file, [...missing.values()]));

  /** The nodes along a path, as far as they exist, each with the node that gives its line. */
  const stepsTo = (path: Path) => {
    const steps: { node: Node; place: Node }[] = [];
    if (document.contents !== null) steps.push({ node: document.contents, place: document.contents });
    for (const step of path) {
      const holder = steps.at(-1)?.node;
      if (isMap(holder)) {
        const pair = holder.items.find(
          (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(step),
        );
        // `name:` without a value: the key takes its place.
        const node = (pair?.value ?? pair?.key) as Node | null | undefined;
        if (node === undefined || node === null) break;
        // A collection begins after its key, usually on the next line: report the line of the key.
        steps.push({ node, place: isScalar(node) ? node : (pair?.key as Node) });
      } else if (isSeq(holder)) {
        const node = holder.items[Number(step)] as Node | undefined;
        if (node === undefined) break;
        steps.push({ node, place: node });
      } else break;
    }
    return steps;
  };

  return {
    value: document.toJS() ?? {},
    lineOf: (path) => lineAt(stepsTo(path).at(-1)?.place.range?.[0] ?? 0),
    isSubstituted: (path) => {
      const steps = stepsTo(path);
      const last = steps.at(-1)?.node;
      return steps.length === path.length + 1 && last !== undefined && substituted.has(last);
    },
  };
}

/** A variable of the file without a value, where the file names it first. */
interface MissingVariable {
  readonly name: string;
  readonly line: number;
  readonly isEmpty: boolean;
}

interface Substitution {
  readonly variables: Variables;
  readonly file: string;
  readonly line: number;
  /** Collects the variables without a value, by name. */
  readonly missing: Map<string, MissingVariable>;
}

const ESCAPED = "$${";

/** A value as a file has it that means each text literally: a name with `${NAME}` must not be given the variable. */
export function escapeVariables(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("${", () => ESCAPED);
  if (Array.isArray(value)) return value.map(escapeVariables);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, escapeVariables(each)]));
}

function substitute(text: string, { variables, file, line, missing }: Substitution): string {
  return text.replace(/\$\$\{|\$\{([^}]*)\}/g, (_, name?: string) => {
    if (name === undefined) return "${";
    const found = readVariable(name, variables, `${file}:${line}`);
    if (found === null && !missing.has(name)) missing.set(name, { name, line, isEmpty: variables[name] !== undefined });
    return found?.value ?? "";
  });
}

/** One line for all: whoever sets them needs one more start, not one for each. */
function describeMissing(file: string, [first, ...others]: readonly MissingVariable[]): string {
  if (first === undefined) return "";
  const fault = first.isEmpty ? "is empty in the environment" : "is not in the environment";
  const rest = others.map(({ name, line, isEmpty }) => `\${${name}} (line ${line}${isEmpty ? ", empty" : ""})`);
  const also = rest.length === 0 ? "" : ` The same holds for ${rest.join(", ")}.`;
  return `${file}:${first.line}: \${${first.name}} ${fault}; set the variable or write the value here.${also}`;
}

function readVariable(name: string, variables: Variables, place: string) {
  try {
    return readSecretVariable(name, variables);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    throw new OperatorError(`${place}: ${error.message}`, { cause: error });
  }
}
