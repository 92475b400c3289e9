// turngate operator …: people who sign in as the operator of the service.
import type { Command } from "commander";
import { createOperatorLink, endOperatorSession, listOperatorSessions } from "../../flows/accounts/operators.ts";
import { presentOperatorSession } from "../../flows/accounts/present.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { printsList, printsRecord } from "./output.ts";
import { withStore } from "./with-store.ts";

export function addOperators(program: Command): void {
  const operator = program.command("operator").description("people who sign in as the operator of the service");

  operator
    .command("sign-in-link")
    .description("create a link, shown once and valid for 15 minutes, that opens the management app")
    .option("--name <name>", "the operator's name, for the audit log; default: the name of the system's user")
    .action(printsRecord(makeLink));
  operator
    .command("sessions")
    .description("list the sessions of all operators")
    .action(printsList("No operator is signed in.", list));
  operator
    .command("end-session")
    .description("end a session of an operator at once")
    .argument("<session>", "the session's id")
    .action(printsRecord(end));
}

function makeLink(options: { readonly name?: string }) {
  return withStore((services) => createOperatorLink(services, options.name ?? services.by.id), { createsStore: true });
}

async function list() {
  const sessions = await withStore(listOperatorSessions);
  return sessions.map((session) => presentOperatorSession(session, null));
}

function end(id: string) {
  return withStore(async (services) => {
    if (await endOperatorSession(services, id)) return { id, ended: true };
    throw new OperatorError(`no operator has a session "${id}"; \`operator sessions\` lists them.`);
  });
}
