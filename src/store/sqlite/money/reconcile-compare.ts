// What every part of reconciling tells its findings to.
import type { Compared, Difference } from "../../../ports/spending.ts";

/** Hears of each pair of figures, and keeps those that are not equal. */
export type Compare = (
  compared: Compared,
  figures: Pick<Difference, "organizationId" | "of" | "recorded" | "expected">,
) => void;
