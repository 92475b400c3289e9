// turngate payment-method …, plan …, credits …: what an organization needs to be served.
import type { Command } from "commander";
import { TRANSACTION_ID_PATTERN } from "../../contract/manage/patterns.ts";
import { addCredits } from "../../flows/accounts/organizations.ts";
import { addPlanOfFile } from "./accounts-file.ts";
import { matching, ORGANIZATION, type OrganizationOptions, readAmount } from "./options.ts";
import { printsRecord } from "./output.ts";
import { changeOrganization, showOrganization, updateOrganization } from "./with-store.ts";

export function addMoney(program: Command): void {
  const paymentMethod = program.command("payment-method").description("whether an organization can pay");
  addSwitch(paymentMethod, "set", "note that a payment method is on file", { paymentMethod: true });
  addSwitch(paymentMethod, "clear", "note that no payment method is on file", { paymentMethod: false });

  const plan = program
    .command("plan")
    .description("whether an organization has a plan; `plan FILE` shows what `apply FILE` would change");
  addSwitch(plan, "start", "start the organization's plan", { plan: true });
  addSwitch(plan, "stop", "stop the organization's plan", { plan: false });
  addPlanOfFile(plan);

  const credits = program.command("credits").description("the balance of an organization");
  const readTransaction = matching(TRANSACTION_ID_PATTERN, "1 to 64 of A-Z a-z 0-9 _ . : -");
  credits
    .command("add")
    .description("add credits to the balance")
    .requiredOption(...ORGANIZATION)
    .requiredOption("--amount <credits>", "credits to add, a decimal down to a millionth", readAmount)
    .option("--transaction <id>", "your name for this top-up; repeated, it adds nothing more", readTransaction)
    .action(printsRecord(topUp));
  credits
    .command("show")
    .description("show the organization with its balance")
    .requiredOption(...ORGANIZATION)
    .action(printsRecord(({ org }: OrganizationOptions) => showOrganization(org)));
}

type Switch = { readonly plan: boolean } | { readonly paymentMethod: boolean };

function addSwitch(command: Command, name: string, description: string, position: Switch): void {
  command
    .command(name)
    .description(description)
    .requiredOption(...ORGANIZATION)
    .action(printsRecord(({ org }: OrganizationOptions) => updateOrganization(org, position)));
}

function topUp({ org, amount, transaction }: OrganizationOptions & { amount: bigint; transaction?: string }) {
  return changeOrganization(org, (services, { id }) =>
    addCredits(services, id, { amountNano: amount, transactionId: transaction }),
  );
}
