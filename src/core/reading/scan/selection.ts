// The parts of a body that are read. They follow from the contract's shapes: a member that no shape names is ignored.
// @spec versioning

/** The selected parts of a value: the value itself, members of an object, elements of an array. */
export interface Selection {
  /** Everything inside, at any depth. */
  readonly isWhole?: true;
  readonly members?: Readonly<Record<string, Selection>>;
  readonly elements?: Selection;
}

/** A scalar, or an object or array without its content. */
export const VALUE: Selection = {};
/** A value with everything inside, such as a JSON schema. */
export const WHOLE: Selection = { isWhole: true };

/** The keywords of a shape that describe the content of a value. */
interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

/** The parts of a value that a shape of the contract describes. */
export function selectionOf(shape: object): Selection {
  const { type, properties, items, anyOf }: Shape = shape;
  if (anyOf !== undefined) return anyOf.map(selectionOf).reduce(merge);
  if (properties !== undefined) return { members: mapValues(properties, selectionOf) };
  if (items !== undefined) return { elements: selectionOf(items) };
  // An object without named members, such as metadata or a JSON schema; or a value of any type.
  return type === "object" || type === undefined ? WHOLE : VALUE;
}

/** The union of two selections. */
export function merge(one: Selection, other: Selection): Selection {
  if (one.isWhole === true || other.isWhole === true) return WHOLE;
  const merged: Record<string, Selection> = { ...one.members };
  for (const [name, member] of Object.entries(other.members ?? {})) {
    const known = merged[name];
    merged[name] = known === undefined ? member : merge(known, member);
  }
  const elements =
    one.elements === undefined || other.elements === undefined
      ? (one.elements ?? other.elements)
      : merge(one.elements, other.elements);
  return {
    ...(one.members === undefined && other.members === undefined ? {} : { members: merged }),
    ...(elements === undefined ? {} : { elements }),
  };
}

export function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
