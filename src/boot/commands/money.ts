// turngate payment-method …, plan …, credits …: what an organization needs to be served.
import { type Command, InvalidArgumentError } from "commander";
import { TRANSACTION_ID_PATTERN } from "../../contract/manage/patterns.ts";
import { CREDITS_MAX } from "../../contract/spending.ts";
import { readCredits } from "../../core/accounts/credits.ts";
import { addCredits } from "../../flows/accounts/organizations.ts";
import type { Organization } from "../../ports/accounts.ts";
import { jsonOption, type OrganizationOptions, organizationOption } from "./options.ts";
import { printRecord } from "./output.ts";
import { showOrganization } from "../../flows/accounts/shapes.ts";
import { type CommandWorld, findOrganization, withStore } from "./with-store.ts";

export function addMoney(program: Command): void {
  const paymentMethod = program.command("payment-method").description("whether an organization can pay");
  addSwitch(paymentMethod, "set", "note that a payment method is on file", { paymentMethod: true });
  addSwitch(paymentMethod, "clear", "note that there is no payment method any more", { paymentMethod: false });

  const plan = program.command("plan").description("whether an organization has a plan");
  addSwitch(plan, "start", "start the organization's plan", { plan: true });
  addSwitch(plan, "stop", "stop the organization's plan", { plan: false });

  const credits = program.command("credits").description("the balance of an organization");
  credits
    .command("add")
    .description("add credits to the balance")
    .addOption(organizationOption())
    .requiredOption("--amount <credits>", "how many, a decimal down to a millionth", readAmount)
    .option("--transaction <id>", "a name of yours for this top-up: repeated it adds nothing more", readTransaction)
    .addOption(jsonOption())
    .action(topUp);
  credits
    .command("show")
    .description("show the organization with its balance")
    .addOption(organizationOption())
    .addOption(jsonOption())
    .action((options: OrganizationOptions) => change(options, async (_world, organization) => organization));
}

type Switch = { readonly plan: boolean } | { readonly paymentMethod: boolean };

function addSwitch(command: Command, name: string, description: string, position: Switch): void {
  command
    .command(name)
    .description(description)
    .addOption(organizationOption())
    .addOption(jsonOption())
    .action((options: OrganizationOptions) =>
      change(options, ({ store, by }, { id }) => store.updateOrganization({ by, organizationId: id, ...position })),
    );
}

function readAmount(text: string): bigint {
  const amount = readCredits(text);
  if (amount === null || amount === 0n) {
    throw new InvalidArgumentError(`Allowed: a decimal above 0, down to a millionth, at most ${CREDITS_MAX}.`);
  }
  return amount;
}

function readTransaction(text: string): string {
  if (new RegExp(TRANSACTION_ID_PATTERN).test(text)) return text;
  throw new InvalidArgumentError("Allowed: 1 to 64 of A-Z a-z 0-9 _ . : -");
}

function topUp(options: OrganizationOptions & { amount: bigint; transaction?: string }): Promise<void> {
  return change(options, ({ desk }, { id }) =>
    addCredits(desk, id, { amountNano: options.amount, transactionId: options.transaction }),
  );
}

async function change(
  options: OrganizationOptions,
  work: (world: CommandWorld, organization: Organization) => Promise<Organization>,
): Promise<void> {
  const changed = await withStore(async (world) => work(world, await findOrganization(world.store, options.org)));
  printRecord(showOrganization(changed), options);
}
