const HEAD = 6;
const TAIL = 4;

/** An id in three parts, of which the middle one is not shown: `resp_3f9a0c`, …, `c21b`. Null for a text of another form. */
export function partsOfId(id: string): readonly [head: string, middle: string, tail: string] | null {
  const [, kind, number] = /^([a-z]+_)([0-9a-f]{32})$/.exec(id) ?? [];
  if (kind === undefined || number === undefined) return null;
  return [kind + number.slice(0, HEAD), number.slice(HEAD, -TAIL), number.slice(-TAIL)];
}
