// The writer: runs groups of writes, and none any more once a write to disk has failed.
import type { MessagePort } from "node:worker_threads";
import { type Answer, type Call, pairAnswers, type Server } from "./calls.ts";
import { emptyJournal, watchJournal } from "./checkpoint.ts";
import type { Connection } from "./connection.ts";
import { type CarriedError, carryError, isLost } from "./errors.ts";
import { runGroup } from "./group-commit.ts";
import { OPERATIONS } from "./operations.ts";

/** Serves writes on a connection, and keeps its journal short with the thread behind the port. */
export function serveWrites(connection: Connection, checkpoints: MessagePort): Server {
  let lost: CarriedError | null = null;
  const lose = (error: CarriedError): void => {
    lost ??= error;
  };
  const journal = watchJournal(connection, checkpoints, lose);
  return (calls, answer) => {
    if (lost !== null) return answer(refuseAll(calls, lost));
    const answers = pairAnswers(calls, runGroup(connection, calls));
    for (const { outcome } of answers) if (!outcome.ok && isLost(outcome.error)) lose(outcome.error);
    const [now, later] = divide(answers, (each, index) => each.outcome.ok && emptiesJournal(calls[index]));
    answer(now);
    for (const each of later) emptyJournal(connection).then(() => answer([each]), refuse(each, answer));
    journal.committed();
  };
}

function refuseAll(calls: readonly Call[], error: CarriedError): Answer[] {
  return calls.map(({ id }) => ({ id, outcome: { ok: false, error } }));
}

function refuse({ id }: Answer, answer: (answers: Answer[]) => void) {
  return (error: unknown) => answer([{ id, outcome: { ok: false, error: carryError(error) } }]);
}

function emptiesJournal(call: Call | undefined): boolean {
  return call !== undefined && OPERATIONS[call.name].emptiesJournal;
}

/** The answers that can go, and those that wait. */
function divide(answers: Answer[], waits: (answer: Answer, index: number) => boolean): [Answer[], Answer[]] {
  return [answers.filter((answer, index) => !waits(answer, index)), answers.filter(waits)];
}
