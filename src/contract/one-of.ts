// The shape of a closed set of words.
import Type, { type TUnsafe } from "typebox";

/** A string that is one of these words; its type is their union. */
export function oneOf<const Word extends string>(words: readonly Word[]): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: "string", enum: [...words] });
}
