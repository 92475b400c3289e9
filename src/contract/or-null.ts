// The shape of a value that may be null.
import Type, { type TNull, type TSchema, type TUnion } from "typebox";

/** A value of that shape, or null. */
export function orNull<Shape extends TSchema>(
  shape: Shape,
  options: { description?: string } = {},
): TUnion<[Shape, TNull]> {
  return Type.Union([shape, Type.Null()], options);
}
