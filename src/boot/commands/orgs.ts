// turngate orgs …
import type { Command } from "commander";
import { mintAccountId } from "../../system/ids.ts";
import { OperatorError } from "../operator-error.ts";
import { jsonOption } from "./options.ts";
import { type OutputOptions, printList, printRecord } from "./output.ts";
import { showOrganization } from "./shapes.ts";
import { findOrganization, nowSeconds, withStore } from "./with-store.ts";

export function addOrgs(program: Command): void {
  const orgs = program.command("orgs").description("organizations: who uses the service and pays for it");

  orgs
    .command("create")
    .description("make an organization, without plan, payment method and credits")
    .requiredOption("--name <name>", "its name, of its own")
    .addOption(jsonOption())
    .action(create);
  orgs.command("list").description("list all organizations").addOption(jsonOption()).action(list);
  orgs
    .command("show")
    .description("show one organization")
    .argument("<org>", "its id or name")
    .addOption(jsonOption())
    .action(show);
  orgs
    .command("suspend")
    .description("refuse every request of an organization (403 access_denied) until it is resumed")
    .argument("<org>", "its id or name")
    .addOption(jsonOption())
    .action((org: string, options: OutputOptions) => setSuspended(org, true, options));
  orgs
    .command("resume")
    .description("serve a suspended organization again")
    .argument("<org>", "its id or name")
    .addOption(jsonOption())
    .action((org: string, options: OutputOptions) => setSuspended(org, false, options));
}

async function create(options: OutputOptions & { name: string }) {
  const name = options.name.trim();
  if (name === "") throw new OperatorError("--name is empty; allowed: any text.");
  const organization = await withStore(({ store, by }) =>
    store.createOrganization({ by, id: mintAccountId("organization"), name, createdAt: nowSeconds() }),
  );
  printRecord(showOrganization(organization), options);
}

async function list(options: OutputOptions) {
  const organizations = await withStore(({ store }) => store.listOrganizations());
  printList(organizations.map(showOrganization), options, "There is no organization yet.");
}

async function show(org: string, options: OutputOptions) {
  printRecord(showOrganization(await withStore(({ store }) => findOrganization(store, org))), options);
}

async function setSuspended(org: string, suspended: boolean, options: OutputOptions) {
  const organization = await withStore(async ({ store, by }) => {
    const { id } = await findOrganization(store, org);
    return store.updateOrganization({ by, organizationId: id, suspended });
  });
  printRecord(showOrganization(organization), options);
}
