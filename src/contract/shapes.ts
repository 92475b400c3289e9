// Shapes that TypeBox does not have: one of some words, and a value or null.
import Type, { type TNull, type TSchema, type TUnion, type TUnsafe } from "typebox";

/** A string that is one of `words`; its type is their union. */
export function oneOf<const Word extends string>(words: readonly Word[], description?: string): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: "string", enum: [...words], ...(description === undefined ? {} : { description }) });
}

/** A value of that shape, or null. */
export function orNull<Shape extends TSchema>(
  shape: Shape,
  options: { description?: string } = {},
): TUnion<[Shape, TNull]> {
  return Type.Union([shape, Type.Null()], options);
}
