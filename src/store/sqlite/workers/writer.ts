// The writer: runs groups of writes, and none any more once a write to disk has failed.
import type { MessagePort } from "node:worker_threads";
import { type Answer, answerError, type Call, type Server } from "./calls.ts";
import { watchJournal } from "./checkpoint.ts";
import type { Connection } from "../database/connection.ts";
import { type CarriedError, carryError, isLost } from "../database/errors.ts";
import { runGroup } from "./group-commit.ts";
import { OPERATIONS } from "../operations.ts";

/** Serves writes on a connection, and keeps its journal short with the thread behind the port. */
export function serveWrites(connection: Connection, checkpoints: MessagePort): Server {
  let lost: CarriedError | null = null;
  const lose = (error: CarriedError): void => {
    lost ??= error;
  };
  const journal = watchJournal(connection, checkpoints, lose);
  const unfinished = (call: Pick<Call, "id">, error: CarriedError): Answer => {
    if (isLost(error)) lose(error);
    return answerError(call, error);
  };
  return (calls, answer) => {
    if (lost !== null) return answer(refuseAll(calls, lost));
    const answers = runGroup(connection, calls);
    for (const { error } of answers) if (error !== null && isLost(error)) lose(error);
    const finishing = answers.map((each, index) => finishOf(connection, calls[index], each));
    answer(answers.filter((_, index) => finishing[index] === null));
    for (const [index, each] of answers.entries()) {
      finishing[index]?.then(
        () => answer([each]),
        (error: unknown) => answer([unfinished(each, carryError(error))]),
      );
    }
    journal.committed();
  };
}

function refuseAll(calls: readonly Call[], error: CarriedError): Answer[] {
  return calls.map((call) => answerError(call, error));
}

/** What a call that went well still has to do after its commit; null: nothing. */
function finishOf(connection: Connection, call: Call | undefined, { answered, error }: Answer): Promise<void> | null {
  if (call === undefined || error !== null) return null;
  const { finish } = OPERATIONS[call.name];
  return finish === null
    ? null
    : Promise.resolve().then(() => finish(connection, answered as never, call.sent as never));
}
