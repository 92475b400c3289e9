// turngate operator …: people who sign in as the operator of the service.
import type { Command } from "commander";
import { createOperatorLink, endOperatorSession, listOperatorSessions } from "../../flows/accounts/operators.ts";
import { presentOperatorSession } from "../../flows/accounts/present.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { type OutputOptions, printList, printRecord } from "./output.ts";
import { withStore } from "./with-store.ts";

export function addOperators(program: Command): void {
  const operator = program.command("operator").description("people who sign in as the operator of the service");

  operator
    .command("sign-in-link")
    .description("create a link, shown once and valid for 15 minutes, that opens the management app")
    .option("--name <name>", "the operator's name, for the audit log; default: the name of the system's user")
    .action(makeLink);
  operator.command("sessions").description("list the sessions of all operators").action(list);
  operator
    .command("end-session")
    .description("end a session of an operator at once")
    .argument("<session>", "the session's id")
    .action(end);
}

async function makeLink(options: OutputOptions & { name?: string }) {
  const link = await withStore((services) => createOperatorLink(services, options.name ?? services.by.id), {
    createsStore: true,
  });
  printRecord(link, options);
}

async function list(options: OutputOptions) {
  const sessions = await withStore(listOperatorSessions);
  printList(
    sessions.map((session) => presentOperatorSession(session, null)),
    options,
    "No operator is signed in.",
  );
}

async function end(id: string, options: OutputOptions) {
  await withStore(async (services) => {
    if (await endOperatorSession(services, id)) return;
    throw new OperatorError(`no operator has a session "${id}"; \`operator sessions\` lists them.`);
  });
  printRecord({ id, ended: true }, options);
}
