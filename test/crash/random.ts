// Reproducible randomness: the same seed gives the same choices.

export interface Chance {
  /** A number from 0 up to 1. */
  draw(): number;
  /** A whole number between both, inclusive. */
  between(least: number, most: number): number;
  pick<T>(choices: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
}

/** Creates a generator for a seed (mulberry32). */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const draw = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number) => least + Math.floor(draw() * (most - least + 1));
  return {
    draw,
    between,
    pick: (choices) => choices[between(0, choices.length - 1)] as (typeof choices)[number],
    shuffle(items) {
      const shuffled = [...items];
      for (let index = shuffled.length - 1; index > 0; index--) {
        const other = between(0, index);
        [shuffled[index], shuffled[other]] = [shuffled[other] as never, shuffled[index] as never];
      }
      return shuffled;
    },
  };
}
