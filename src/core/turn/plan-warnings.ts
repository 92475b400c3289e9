// What planning tells the client in `svc:warnings`. @spec docs/wire.md (Objects)
import type { Warning } from "../../contract/resources.ts";
import type { HistoryItem } from "../history/history-item.ts";
import type { ContinuedHistory, PlanDraft } from "./planning.ts";

/** Says how many turns truncation dropped. */
export function truncationWarning(
  draft: PlanDraft,
  history: ContinuedHistory | null,
  kept: readonly HistoryItem[],
): Warning[] {
  if (!draft.truncates || history === null) return [];
  const dropped = history.turns - kept.filter((entry) => entry.opensTurn).length;
  return [
    {
      code: "truncated",
      message: `${dropped} ${dropped === 1 ? "turn was" : "turns were"} dropped from the start of the history to fit the context window.`,
      param: "truncation",
    },
  ];
}

/** Says that stored items are damaged, and so not sent. */
export function unreadableWarning(unreadable: number): Warning[] {
  if (unreadable === 0) return [];
  const [items, were] = unreadable === 1 ? ["item", "was"] : ["items", "were"];
  return [
    {
      code: "history_unreadable",
      message: `${unreadable} stored ${items} of the history could not be read and ${were} not sent to the model.`,
      param: null,
    },
  ];
}

/** Says that the end user was not sent to the provider. */
export function endUserWarning(draft: PlanDraft): Warning[] {
  if (draft.tools.safetyIdentifier === null || draft.model.hasEndUserField) return [];
  return [
    {
      code: "safety_identifier_not_sent",
      message: `The provider of ${draft.model.id} has no field for an end user: safety_identifier was not sent.`,
      param: "safety_identifier",
    },
  ];
}
