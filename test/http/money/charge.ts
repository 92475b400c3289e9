// What the tests of charges count with.
import { credits } from "../../support/money.ts";
import type { Act } from "../../support/scripted-provider.ts";

/** The cost of USAGE: 7 fresh tokens, 2 read from a cache, 1 written to it, 5 of output. */
export const CHARGE = credits(0.7 + 0.02 + 0.1 + 0.5);

/** The first hold: one token of input, 1,000 of output. */
export const HOLD = credits(100.1);

export const RICH = 100_000;

export const never = new Promise<never>(() => {});

export const hundredTokens: Act = [{ type: "text", text: "four".repeat(100) }];
