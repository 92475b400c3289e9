// Options of `turns list` and `turns groups`: whom turns were for.
import type { Command } from "commander";
import { OperatorError } from "../../config/operator-error.ts";
import { NONE } from "../../contract/money.ts";
import { endUserOf } from "../../flows/turn-subjects.ts";
import type { Secrets } from "../../ports/secrets.ts";
import type { TurnFilter } from "../../ports/store/turn-log.ts";

export interface SubjectOptions {
  readonly conversation?: string;
  readonly endUser?: string;
  readonly safetyIdentifier?: string;
  readonly label?: string;
}

/** Adds the options to a command. */
export function addSubjectOptions(command: Command): Command {
  return command
    .option("--conversation <id>", `the id of a conversation; ${NONE}: turns outside of conversations`)
    .option("--end-user <hash>", `an end user, by the hash that \`turns list\` shows; ${NONE}: turns without one`)
    .option("--safety-identifier <id>", "an end user, by what clients send in safety_identifier or user")
    .option("--label <label>", `KEY=VALUE of the metadata key of turngate.yaml; ${NONE}: turns without one`);
}

/** The options as the store's filters take them. */
export function readSubjects(
  { conversation, endUser, safetyIdentifier, label }: SubjectOptions,
  secrets: Pick<Secrets, "hashEndUser">,
  organizationId: string | null,
): Pick<TurnFilter, "conversationId" | "endUser" | "label"> {
  if (endUser !== undefined && safetyIdentifier !== undefined) {
    throw new OperatorError("--end-user and --safety-identifier exclude each other.");
  }
  const hashed =
    safetyIdentifier === undefined || organizationId === null
      ? endUser
      : endUserOf(secrets.hashEndUser(organizationId, safetyIdentifier));
  const orNone = (text: string | undefined) => (text === undefined ? null : text === NONE ? "" : text);
  return { conversationId: orNone(conversation), endUser: orNone(hashed), label: orNone(label) };
}
