// The shape of a string enum.
import Type, { type TUnsafe } from "typebox";

/** A string that is one of `words`; its type is their union. */
export function oneOf<const Word extends string>(words: readonly Word[], description?: string): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: "string", enum: [...words], ...(description === undefined ? {} : { description }) });
}
