// Whom turns were for, as query parameters of the log of turns and of usage. docs/management.md (The log of turns)
import { invalidInput } from "../../contract/errors.ts";
import { LABEL_CHARACTERS_MAX } from "../../contract/manage/limits.ts";
import { NONE } from "../../contract/money.ts";
import type { Secrets } from "../../ports/secrets.ts";
import type { TurnFilter } from "../../ports/store/turn-log.ts";
import { endUserOf } from "../turn-subjects.ts";
import { quote, readText, readTextOrNone } from "./query-text.ts";

/** The conversation, the end user and the label of a filter. Throws 400 `invalid_input` with the parameter. */
export function readTurnSubjects(
  secrets: Pick<Secrets, "hashEndUser">,
  organizationId: string,
  query: ReadonlyMap<string, string>,
): Pick<TurnFilter, "conversationId" | "endUser" | "label"> {
  return {
    conversationId: readTextOrNone("conversation", query),
    endUser: readEndUser(secrets, organizationId, query),
    label: readLabel(query),
  };
}

/** The hash of an end user, as given or made from the `safety_identifier` that clients send. */
function readEndUser(
  secrets: Pick<Secrets, "hashEndUser">,
  organizationId: string,
  query: ReadonlyMap<string, string>,
): string | null {
  const hash = readTextOrNone("end_user", query);
  const sent = readText("safety_identifier", query);
  if (sent === null) return hash;
  if (hash !== null) throw invalidInput("safety_identifier", "end_user and safety_identifier exclude each other.");
  return endUserOf(secrets.hashEndUser(organizationId, sent));
}

function readLabel(query: ReadonlyMap<string, string>): string | null {
  const label = readTextOrNone("label", query, LABEL_CHARACTERS_MAX);
  if (label === null || label === "" || label.includes("=")) return label;
  throw invalidInput("label", `label is ${quote(label)}; allowed: KEY=VALUE, or ${NONE}.`);
}
