// The warnings of planning, for `svc:warnings`: each function returns one, or an empty list. docs/wire.md (Objects)
import type { Warning } from "../../contract/resources.ts";
import type { HistoryItem } from "../history/history-item.ts";
import type { ContinuedHistory, PlanDraft } from "./planning.ts";

/** How many turns of a truncated history are not among the kept items. */
export function truncationWarning({ turns }: ContinuedHistory, kept: readonly HistoryItem[]): Warning[] {
  const dropped = turns - kept.filter((entry) => entry.opensTurn).length;
  // Without its unreadable items a history may fit after all.
  if (dropped === 0) return [];
  return [
    {
      code: "truncated",
      message: `${dropped} ${dropped === 1 ? "turn was" : "turns were"} dropped from the start of the history to fit the context window.`,
      param: "truncation",
    },
  ];
}

/** How many turns were dropped because the provider refused the prompt as too long. */
export function shortenedWarning(dropped: number): Warning {
  return {
    code: "truncated",
    message: `${dropped} more ${dropped === 1 ? "turn was" : "turns were"} dropped from the start of the history: the provider refused the prompt as too long.`,
    param: "truncation",
  };
}

/** Stored items, and states of the provider, that cannot be read are not sent. */
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

/** The provider has no field for the end user. */
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

/** A prompt template, named by its id in the provider's dashboard, is not used. */
export const PROMPT_WARNING: Warning = {
  code: "prompt_not_used",
  message: "Prompt templates are not supported and prompt was ignored: send the text as instructions and input.",
  param: "prompt",
};
