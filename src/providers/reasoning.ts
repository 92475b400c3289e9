// What a response reports of the reasoning that applied to it. @spec resources/response-object
import { REASONING_EFFORTS } from "../contract/settings.ts";
import type { CatalogModel } from "../core/catalog.ts";
import type { ReportedReasoning } from "../ports/provider.ts";

type Effort = NonNullable<ReportedReasoning>["effort"];

/** An effort in the words of the interface; null for a word that it has not. */
export function toEffort(word: string | null): Effort {
  return REASONING_EFFORTS.find((effort) => effort === word) ?? null;
}

/** What applies on a wire that is told an effort and asked for no summary: a budget has no word there. */
export function reportEffort({ thinking }: CatalogModel): ReportedReasoning {
  if (typeof thinking !== "object" || !("effort" in thinking)) return null;
  return { effort: toEffort(thinking.effort), summary: null };
}
