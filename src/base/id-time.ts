// Ids of the service begin with their time: a prefix, these digits, and random ones.

/** Hexadecimal digits of the time in an id, Unix milliseconds. */
export const ID_TIME_DIGITS = 12;
/** Random hexadecimal digits after them. */
export const ID_RANDOM_DIGITS = 20;

const ID = new RegExp(`^[a-z]+_([0-9a-f]{${ID_TIME_DIGITS}})[0-9a-f]{${ID_RANDOM_DIGITS}}$`);

/** When an id was made, Unix milliseconds; null if it is not of this form. An id of others may have the form by chance. */
export function timeOfId(id: string): number | null {
  const [, digits] = ID.exec(id) ?? [];
  return digits === undefined ? null : Number.parseInt(digits, 16);
}
