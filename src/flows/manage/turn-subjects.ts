// Whom turns were for, as query parameters of the log of turns and of usage. docs/management.md (The log of turns)
import { invalidInput } from "../../contract/errors.ts";
import type { QueryOf } from "../../contract/manage/queries.ts";
import { NONE } from "../../contract/money.ts";
import type { Secrets } from "../../ports/secrets.ts";
import type { TurnFilter } from "../../ports/store/turn-log.ts";
import { endUserOf } from "../turn-subjects.ts";
import { quote, textOrNone } from "./query-text.ts";

type Query = QueryOf<"countTurns">;

/** The conversation, the end user and the label of a filter. Throws 400 `invalid_input` with the parameter. */
export function readTurnSubjects(
  secrets: Pick<Secrets, "hashEndUser">,
  organizationId: string,
  query: Query,
): Pick<TurnFilter, "conversationId" | "endUser" | "label"> {
  return {
    conversationId: textOrNone(query.conversation),
    endUser: readEndUser(secrets, organizationId, query),
    label: readLabel(query),
  };
}

/** The hash of an end user, as given or made from the `safety_identifier` that clients send. */
function readEndUser(
  secrets: Pick<Secrets, "hashEndUser">,
  organizationId: string,
  { end_user: hash, safety_identifier: sent }: Query,
): string | null {
  if (sent === null) return textOrNone(hash);
  if (hash !== null) throw invalidInput("safety_identifier", "end_user and safety_identifier exclude each other.");
  return endUserOf(secrets.hashEndUser(organizationId, sent));
}

function readLabel({ label }: Query): string | null {
  if (label === null || label === NONE || label.includes("=")) return textOrNone(label);
  throw invalidInput("label", `label is ${quote(label)}; allowed: KEY=VALUE, or ${NONE}.`);
}
