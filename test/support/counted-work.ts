// Work that is counted instead of timed: the characters and elements that built-in methods visit, the same in every run.

/** What a call visits, by its list or text, its arguments and its result. */
type Cost = (on: { readonly length: number }, args: readonly unknown[], result: unknown) => number;

const lengthOf = (value: unknown): number => (typeof value === "string" ? value.length : 0);

/** Methods that may take the time of all that they are given. */
const COUNTED: readonly (readonly [object, string, Cost])[] = [
  [Array.prototype, "join", (on, _args, result) => on.length + lengthOf(result)],
  [Array.prototype, "unshift", (on) => on.length],
  [String.prototype, "trim", (on) => on.length],
  [String.prototype, "replace", (on) => on.length],
  [String.prototype, "startsWith", (on, [text]) => Math.min(on.length, lengthOf(text))],
  [JSON, "parse", (_on, [text]) => lengthOf(text)],
  [JSON, "stringify", (_on, _args, result) => lengthOf(result)],
];

/** How much more is visited by work of `8 * size` than by work of `size`: 8 if it is linear, 64 if it is quadratic. */
export function workRatio(size: number, work: (size: number) => unknown): number {
  return countWork(() => work(8 * size)) / countWork(() => work(size));
}

/** Characters and elements visited. */
export function countWork(work: () => unknown): number {
  let visited = 0;
  const originals = COUNTED.map(([owner, name, cost]) => {
    const original = Reflect.get(owner, name) as (...args: unknown[]) => unknown;
    Reflect.set(owner, name, function counted(this: { length: number }, ...args: unknown[]) {
      const result = original.apply(this, args);
      visited += cost(this, args, result);
      return result;
    });
    return () => Reflect.set(owner, name, original);
  });
  try {
    work();
  } finally {
    for (const restore of originals) restore();
  }
  return visited;
}
