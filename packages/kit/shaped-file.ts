// Reads a file of a given shape: YAML (or JSON, which is YAML too), then its shape. The first fault is reported with file, line, value and what
// is allowed.
import type { TSchema } from "typebox";
import type { Variables } from "./variables.ts";
import { hideCredentials } from "./addresses.ts";
import { explain, type Fault, hasProperties, schemaBelow, valueAt, type WithProperties } from "./explain.ts";
import { OperatorError } from "./operator-error.ts";
import { type Path, readYaml, type YamlFile } from "./yaml-file.ts";

/** A file of valid shape, and a way to report faults that the schema can't express. */
export interface ShapedFile {
  /** Its path, as the operator gave it. */
  readonly name: string;
  readonly value: unknown;
  /** An error with the line of the value at a path. */
  errorAt(path: Path, message: string): OperatorError;
  /** The same, with a message that begins with the value's name: `limits.body_bytes …`. A quoted value of a variable is hidden: it may be a secret. */
  faultAt(path: Path, predicate: string): OperatorError;
}

/** A file before it is read. */
interface Source {
  readonly name: string;
  readonly text: string;
  /** Values for ${NAME}. */
  readonly variables: Variables;
  /** The shape; the description of each part begins with what is allowed. */
  readonly schema: TSchema & WithProperties;
}

/** Checks the text of a file. Throws an OperatorError. */
export function readShapedFile({ name, text, variables, schema }: Source): ShapedFile {
  const yaml = readYaml(name, text, variables);
  const value = convertSubstituted(yaml.value, schema, [], yaml);
  const errorAt = (path: Path, message: string) => new OperatorError(`${name}:${yaml.lineOf(path)}: ${message}`);

  const faultAt = (path: Path, predicate: string) => {
    const found = yaml.isSubstituted(path) ? `"${String(valueAt(value, path))}"` : null;
    const shown = found === null ? predicate : predicate.replaceAll(found, '"…", from a variable');
    return errorAt(path, `${nameOf(path)} ${shown}`);
  };

  const findings = explain(schema, value).map((fault) => ({
    path: fault.path,
    message: describeFault(fault, value, yaml),
  }));
  findings.sort((one, other) => yaml.lineOf(one.path) - yaml.lineOf(other.path));
  const [first] = findings;
  if (first !== undefined) throw errorAt(first.path, first.message);
  return { name, value, errorAt, faultAt };
}

/** Keys whose values, and everything below them, are never shown. */
const SECRET_KEYS = ["api_key", "api_keys", "headers", "client_secret", "token", "secret"];

/** Describes a fault and what is allowed: the description of the schema at that path, or the known keys around it. */
function describeFault(fault: Fault, root: unknown, yaml: YamlFile): string {
  const { kind, path } = fault;
  if (kind === "missing") return `${nameOf(path)} lacks ${fault.names.join(", ")}.`;
  if (kind === "unknown") {
    return `there is no key "${path.at(-1)}" in ${nameOf(path.slice(0, -1))}; allowed: ${describeMembers(fault.around)}.`;
  }
  const isSecret = SECRET_KEYS.some((key) => path.includes(key)) || yaml.isSubstituted(path);
  const shown = isSecret ? "has a value that is not allowed" : `is ${show(valueAt(root, path))}`;
  const allowed = path.length === 0 ? describeMembers(fault.schema) : describe(fault.schema);
  return `${nameOf(path)} ${shown}; allowed: ${allowed}.`;
}

const describeMembers = (schema: TSchema | null): string =>
  schema !== null && hasProperties(schema) ? Object.keys(schema.properties).join(", ") : describe(schema);

const describe = (schema: TSchema | null): string =>
  schema !== null && "description" in schema ? String(schema.description) : "nothing else";

function show(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a group of keys";
  // JSON has neither infinity nor NaN.
  if (typeof value === "number") return String(value);
  return JSON.stringify(typeof value === "string" ? hideCredentials(value).slice(0, 80) : value);
}

/** `limits.body_bytes`, `models[2].id`; `the file` for the top. */
function nameOf(path: Path): string {
  if (path.length === 0) return "the file";
  return path.map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`)).join("");
}

/** Converts substituted variables, which are strings, to the numbers and booleans that the schema wants. */
function convertSubstituted(value: unknown, schema: TSchema, path: Path, yaml: YamlFile): unknown {
  if (Array.isArray(value)) {
    return value.map((entry, at) => convertSubstituted(entry, schemaBelow(schema, at) ?? {}, [...path, at], yaml));
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, entry]) => [
      key,
      convertSubstituted(entry, schemaBelow(schema, key) ?? {}, [...path, key], yaml),
    ]);
    return Object.fromEntries(entries);
  }
  if (typeof value !== "string" || !("type" in schema) || !yaml.isSubstituted(path)) return value;
  if (schema.type === "integer" || schema.type === "number")
    return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (schema.type === "boolean") return value === "true" ? true : value === "false" ? false : value;
  return value;
}
