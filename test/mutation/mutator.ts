// Finds the mutants of a module: each replaces one stretch of its text.
import { parseSync } from "oxc-parser";
import { applyFault, type Fault } from "./fault.ts";
import { mutateSql } from "./sql.ts";

export interface Mutant extends Fault {
  /** Path, place and replacement: stable across runs. */
  readonly id: string;
  readonly path: string;
  readonly line: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

const OTHER_OPERATOR: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "&&": "||",
  "||": "&&",
};

/** Types are skipped, except nodes that wrap an expression in one. */
const WRAPPERS = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

/** Every fault of a module. */
export function findMutants(path: string, text: string): readonly Mutant[] {
  const faults: Fault[] = [];
  walk(parseSync(path, text).program as unknown as Node, (node) => faults.push(...faultsOf(node, text)));
  return faults
    .filter((fault) => isStillCode(path, applyFault(text, fault)))
    .map((fault) => {
      const { start, end, replacement } = fault;
      const line = text.slice(0, start).split("\n").length;
      return { id: `${path}:${start}-${end}:${replacement}`, path, line, ...fault };
    });
}

function isStillCode(path: string, text: string): boolean {
  return parseSync(path, text).errors.length === 0;
}

function walk(node: Node, visit: (node: Node) => void): void {
  if (node.type.startsWith("TS") && !WRAPPERS.has(node.type)) return;
  if (isPacking(node)) return;
  visit(node);
  for (const [name, member] of Object.entries(node)) {
    if (name === "typeAnnotation" || name === "returnType" || name === "typeArguments") continue;
    for (const child of Array.isArray(member) ? member : [member]) if (isNode(child)) walk(child, visit);
  }
}

/** `packing({ name: true })` only lists names; its type allows no other value. */
function isPacking({ type, callee }: Node): boolean {
  return type === "CallExpression" && isNode(callee) && callee["name"] === "packing";
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

function faultsOf(node: Node, text: string): Fault[] {
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
      return swapOperator(node, text);
    case "IfStatement":
      return decide(node["test"] as Node, guardsAnError(node) ? ["true"] : ["true", "false"]);
    case "ConditionalExpression":
      return decide(node["test"] as Node, ["true", "false"]);
    case "WhileStatement":
      return decide(node["test"] as Node, ["false"]);
    case "UnaryExpression": {
      const argument = node["argument"] as Node;
      const isSign = node["operator"] === "!" || node["operator"] === "-";
      return isSign ? [replace(node, text.slice(argument.start, argument.end))] : [];
    }
    case "Literal":
      return typeof node["value"] === "boolean" ? [replace(node, String(!node["value"]))] : [];
    case "MemberExpression":
    case "CallExpression":
      return node["optional"] === true ? dropOptional(node, text) : [];
    case "ExpressionStatement":
      return isRemovable(node, text) ? [replace(node, ";")] : [];
    case "ReturnStatement":
      return node["argument"] === null ? [replace(node, ";")] : [];
    case "BreakStatement":
    case "ContinueStatement":
      return [replace(node, ";")];
    case "TemplateElement":
      return mutateSql(text.slice(node.start, node.end), node.start);
    default:
      return [];
  }
}

function replace({ start, end }: Node, replacement: string): Fault {
  return { start, end, replacement };
}

function swapOperator(node: Node, text: string): Fault[] {
  const [left, right] = [node["left"] as Node, node["right"] as Node];
  const operator = String(node["operator"]);
  if (operator === "??") return [replace(node, text.slice(left.start, left.end))];
  const other = OTHER_OPERATOR[operator];
  const joinsTexts = operator === "+" && [left, right].some(isText);
  if (other === undefined || joinsTexts) return [];
  const at = text.indexOf(operator, left.end);
  return at === -1 || at >= right.start ? [] : [{ start: at, end: at + operator.length, replacement: other }];
}

function isText({ type, value }: Node): boolean {
  return type === "TemplateLiteral" || (type === "Literal" && typeof value === "string");
}

function decide(test: Node, words: readonly string[]): Fault[] {
  return words.map((word) => replace(test, word));
}

/** `if (…) throw new Error(…)` asserts an impossible state, which no test can cause. */
function guardsAnError({ consequent }: Node): boolean {
  const thrown = (consequent as Node).type === "ThrowStatement" ? ((consequent as Node)["argument"] as Node) : null;
  return thrown?.type === "NewExpression" && (thrown["callee"] as Node)["name"] === "Error";
}

function dropOptional(node: Node, text: string): Fault[] {
  const before = (node["object"] ?? node["callee"]) as Node;
  const at = text.indexOf("?.", before.end);
  if (at === -1 || at >= node.end) return [];
  const isMember = node.type === "MemberExpression" && node["computed"] !== true;
  return [{ start: at, end: at + 2, replacement: isMember ? "." : "" }];
}

/** Calls that only inform operators are not mutated: log lines, metrics, traces. */
const INFORMS_OPERATORS = /^(?:void |await )?(?:[\w.#]*\b)?(?:log|telemetry|observed)\b|^reportEnd\b/;

function isRemovable(node: Node, text: string): boolean {
  const { type } = node["expression"] as Node;
  const isAction = ["CallExpression", "AwaitExpression", "AssignmentExpression", "UpdateExpression"].includes(type);
  const isVoid = type === "UnaryExpression" && text.startsWith("void ", node.start);
  return (isAction || isVoid) && !INFORMS_OPERATORS.test(text.slice(node.start, node.end));
}
