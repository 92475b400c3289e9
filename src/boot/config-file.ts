// Reads turngate.yaml: YAML, then its shape. The first thing wrong is told with file, line, what came and what is allowed.
import type { TSchema } from "typebox";
import { Errors } from "typebox/value";
import { type ConfigFile, ConfigFileSchema } from "./config-schema.ts";
import type { Variables } from "./environment.ts";
import { hideCredentials } from "./hide-credentials.ts";
import { OperatorError } from "./operator-error.ts";
import { type Path, readYaml, type YamlFile } from "./yaml-file.ts";

/** A checked configuration file, and a way to tell where in it something is wrong that its shape can't say. */
export interface ReadConfigFile {
  readonly config: ConfigFile;
  /** An error about the value at that path. */
  wrong(path: Path, message: string): OperatorError;
}

/** Checks the text of a configuration file; `file` is its name for messages. Throws an OperatorError. */
export function readConfigFile(file: string, source: string, variables: Variables): ReadConfigFile {
  const yaml = readYaml(file, source, variables);
  const value = convertSubstituted(yaml.value, ConfigFileSchema, [], yaml);
  const wrong = (path: Path, message: string) => new OperatorError(`${file}:${yaml.lineOf(path)}: ${message}`);

  const findings = Errors(ConfigFileSchema, value)
    .filter((finding) => finding.keyword !== "additionalProperties")
    .map((finding) => {
      const path = readPointer(finding.instancePath, value);
      return finding.keyword === "required"
        ? { path, message: `${nameOf(path)} lacks ${finding.params.requiredProperties.join(", ")}.` }
        : { path, message: describeWrong(path, value, yaml) };
    });
  findings.sort((one, other) => yaml.lineOf(one.path) - yaml.lineOf(other.path));
  const [first] = findings;
  if (first !== undefined) throw wrong(first.path, first.message);
  return { config: value as ConfigFile, wrong };
}

/** What is wrong with a value, and what is allowed: the description of the schema there, or the keys around it. */
function describeWrong(path: Path, root: unknown, yaml: YamlFile): string {
  const schema = schemaAt(path);
  if (schema === null) {
    const around = schemaAt(path.slice(0, -1));
    const allowed = around === null || !hasProperties(around) ? describe(around) : keysOf(around);
    return `there is no key "${path.at(-1)}" in ${nameOf(path.slice(0, -1))}; allowed: ${allowed}.`;
  }
  const isSecret = path.at(-1) === "api_key" || yaml.isSubstituted(path);
  const shown = isSecret ? "has a value that is not allowed" : `is ${show(valueAt(root, path))}`;
  return `${nameOf(path)} ${shown}; allowed: ${path.length === 0 ? keysOf(ConfigFileSchema) : describe(schema)}.`;
}

const keysOf = ({ properties }: WithProperties): string => Object.keys(properties).join(", ");

const describe = (schema: TSchema | null): string =>
  schema !== null && "description" in schema ? String(schema.description) : "nothing else";

function show(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a group of keys";
  // JSON knows neither infinity nor .nan.
  if (typeof value === "number") return String(value);
  return JSON.stringify(typeof value === "string" ? hideCredentials(value).slice(0, 80) : value);
}

/** `limits.body_bytes`, `models[2].id`; `the file` for the top. */
function nameOf(path: Path): string {
  if (path.length === 0) return "the file";
  return path.map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`)).join("");
}

/** The schema of the value at a path; null where the shape has no such key. */
function schemaAt(path: Path): TSchema | null {
  let schema: TSchema | null = ConfigFileSchema;
  for (const step of path) schema = schema === null ? null : schemaBelow(schema, step);
  return schema;
}

interface WithProperties {
  readonly properties: Readonly<Record<string, TSchema>>;
}
const hasProperties = (schema: TSchema): schema is TSchema & WithProperties => "properties" in schema;

function schemaBelow(schema: TSchema, step: string | number): TSchema | null {
  if (hasProperties(schema)) return Object.hasOwn(schema.properties, step) ? (schema.properties[step] ?? null) : null;
  if ("patternProperties" in schema) {
    const patterns = Object.entries(schema.patternProperties as Record<string, TSchema>);
    return patterns.find(([pattern]) => new RegExp(pattern).test(String(step)))?.[1] ?? null;
  }
  // An entry of a list that is one of several forms is told by the whole list's description.
  return "items" in schema ? (schema.items as TSchema) : schema;
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const step of path) value = typeof value === "object" && value !== null ? Reflect.get(value, step) : undefined;
  return value;
}

/** The steps of a JSON pointer; indexes of lists as numbers. */
function readPointer(pointer: string, root: unknown): Path {
  const path: (string | number)[] = [];
  for (const raw of pointer.split("/").slice(1)) {
    const step = raw.replaceAll("~1", "/").replaceAll("~0", "~");
    path.push(Array.isArray(valueAt(root, path)) ? Number(step) : step);
  }
  return path;
}

/** The environment holds texts; where the shape wants a number or a switch, the text of one is taken for it. */
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
