// A YAML text as plain values, with ${NAME} taken from the environment, that still knows on which line each value stands.
import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from "yaml";
import type { Variables } from "./environment.ts";
import { OperatorError } from "./operator-error.ts";

/** The way to a value: keys and indexes from the top. */
export type Path = readonly (string | number)[];

export interface YamlFile {
  readonly value: unknown;
  /** The line (from 1) of the value at that path, or of the nearest value around it. */
  lineOf(path: Path): number;
  /** Whether the value holds something of the environment: it may be a secret, and is a text whatever it looks like. */
  isSubstituted(path: Path): boolean;
}

/** Reads a YAML text; throws an OperatorError with file and line for what is no YAML and for an unknown ${NAME}. */
export function readYaml(file: string, source: string, variables: Variables): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  // A tag that nobody resolves (`!env NAME`) is only warned of: the text behind it would be taken as it stands.
  const [wrong] = [...document.errors, ...document.warnings];
  if (wrong !== undefined) {
    // The library's own words are advice for programmers.
    const message =
      wrong.code === "MULTIPLE_DOCS"
        ? "the file holds more than one document; allowed: one, without a line of --- inside."
        : `this is no valid YAML: ${wrong.message}`;
    throw new OperatorError(`${file}:${lineAt(wrong.pos[0])}: ${message}`);
  }

  const substituted = new Set<Node>();
  visit(document, {
    Scalar: (key, scalar) => {
      if (key === "key" || typeof scalar.value !== "string" || !scalar.value.includes("${")) return;
      scalar.value = substitute(scalar.value, variables, `${file}:${lineAt(scalar.range?.[0] ?? 0)}`);
      substituted.add(scalar);
    },
    Alias: (_, alias, around) => {
      const anchored = alias.resolve(document);
      const line = lineAt(alias.range?.[0] ?? 0);
      if (anchored === undefined)
        throw new OperatorError(`${file}:${line}: there is no anchor "${alias.source}" before its alias.`);
      if (around.includes(anchored))
        throw new OperatorError(`${file}:${line}: the alias "${alias.source}" stands within its own anchor.`);
    },
  });

  const nodesTo = (path: Path) => {
    const nodes: Node[] = document.contents === null ? [] : [document.contents];
    for (const step of path) {
      const last = nodes.at(-1);
      const holder = isAlias(last) ? last.resolve(document) : last;
      if (isMap(holder)) {
        const pair = holder.items.find(
          (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(step),
        );
        // The key stands for a value that is not there: `name:` and nothing behind it.
        const node = pair?.value ?? pair?.key;
        if (node === undefined || node === null) break;
        nodes.push(node as Node);
      } else if (isSeq(holder)) {
        const node = holder.items[Number(step)];
        if (node === undefined) break;
        nodes.push(node as Node);
      } else break;
    }
    return nodes;
  };

  return {
    value: toPlain(document, (node) => `${file}:${lineAt(node?.range?.[0] ?? 0)}`),
    lineOf: (path) => lineAt(nodesTo(path).at(-1)?.range?.[0] ?? 0),
    isSubstituted: (path) => {
      const nodes = nodesTo(path);
      const last = nodes.at(-1);
      return nodes.length === path.length + 1 && last !== undefined && substituted.has(last);
    },
  };
}

function toPlain(document: Document, placeOf: (node: Node | null) => string): unknown {
  try {
    return document.toJS() ?? {};
  } catch (error) {
    // Aliases of aliases that would grow without end: all that the library refuses so late.
    const place = placeOf(findInnermost(document, (node) => !isPlain(document, node)));
    throw new OperatorError(`${place}: there are too many aliases of aliases.`, { cause: error });
  }
}

function isPlain(document: Document, node: Node): boolean {
  try {
    node.toJS(document);
    return true;
  } catch {
    return false;
  }
}

/** The innermost collection of which that is true, if it is true of all around it. */
function findInnermost(document: Document, isTrue: (node: Node) => boolean): Node | null {
  let found: Node | null = null;
  visit(document, {
    Collection: (_, node) => {
      if (!isTrue(node)) return visit.SKIP;
      found = node;
      return undefined;
    },
  });
  return found;
}

function substitute(text: string, variables: Variables, place: string): string {
  return text.replace(/\$\{([^}]*)\}/g, (_, name: string) => {
    const value = variables[name];
    if (value !== undefined && value !== "") return value;
    const fault = value === undefined ? "is not in the environment" : "is empty in the environment";
    throw new OperatorError(`${place}: \${${name}} ${fault}; set the variable or write the value here.`);
  });
}
