// What is wrong with a value of a given shape: where, and what its schema allows there. Files, requests of the management
// interface and queries say it in their own words.
import type { TSchema } from "typebox";
import { Errors } from "typebox/schema";
import type { Path } from "./yaml-file.ts";

/** A schema of an object. */
export interface WithProperties {
  readonly properties: Readonly<Record<string, TSchema>>;
}

export type Fault =
  /** A member that the schema around it does not have. `around` is null where that one has no list of members. */
  | { readonly kind: "unknown"; readonly path: Path; readonly around: TSchema | null }
  /** An object without members that it needs. */
  | { readonly kind: "missing"; readonly path: Path; readonly names: readonly string[] }
  /** A value that its schema does not allow. */
  | { readonly kind: "wrong"; readonly path: Path; readonly schema: TSchema };

/** The faults of a value, in the order of its schema; none if the value is valid. */
export function explain(schema: TSchema, value: unknown): readonly Fault[] {
  const all = Errors(schema, value)[1].filter(({ keyword }) => keyword !== "additionalProperties");
  return (
    all
      // A list that is one form of a union has a finding of its own beside that of its wrong entry, which says more.
      .filter(({ keyword, instancePath: at }) => keyword === "required" || !all.some((other) => isBelow(other, at)))
      .map((finding): Fault => {
        const path = readPointer(finding.instancePath, value);
        if (finding.keyword === "required") return { kind: "missing", path, names: finding.params.requiredProperties };
        const wrong = schemaAt(schema, path);
        if (wrong !== null) return { kind: "wrong", path, schema: wrong };
        return { kind: "unknown", path, around: schemaAt(schema, path.slice(0, -1)) };
      })
  );
}

function isBelow(finding: { readonly instancePath: string }, pointer: string): boolean {
  return finding.instancePath.startsWith(`${pointer}/`);
}

/** The schema of the value at a path; null if the schema has no such key. */
function schemaAt(whole: TSchema, path: Path): TSchema | null {
  let schema: TSchema | null = whole;
  for (const step of path) schema = schema === null ? null : schemaBelow(schema, step);
  return schema;
}

export const hasProperties = (schema: TSchema): schema is TSchema & WithProperties => "properties" in schema;

/** The schema of a member or an entry; null if there is none. */
export function schemaBelow(schema: TSchema, step: string | number): TSchema | null {
  if (hasProperties(schema)) return Object.hasOwn(schema.properties, step) ? (schema.properties[step] ?? null) : null;
  if ("patternProperties" in schema) {
    const patterns = Object.entries(schema.patternProperties as Record<string, TSchema>);
    return patterns.find(([pattern]) => new RegExp(pattern).test(String(step)))?.[1] ?? null;
  }
  // Of a union, the form that is an object. An entry of another one, such as a list of settings, is described by the
  // union itself.
  const forms: readonly TSchema[] = "anyOf" in schema && Array.isArray(schema.anyOf) ? schema.anyOf : [];
  const form = forms.find(hasProperties);
  if (form !== undefined) return schemaBelow(form, step);
  return "items" in schema ? (schema.items as TSchema) : schema;
}

/** The value at a path. */
export function valueAt(root: unknown, path: Path): unknown {
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
