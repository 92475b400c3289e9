// turngate orgs …
import type { Command } from "commander";
import { readOrganizationName } from "../../core/accounts/account-fields.ts";
import { createOrganization, renameOrganization } from "../../flows/accounts/organizations.ts";
import { jsonOption } from "./options.ts";
import { type OutputOptions, printList, printRecord } from "./output.ts";
import { showOrganization } from "../../flows/accounts/shapes.ts";
import { findOrganization, withStore } from "./with-store.ts";

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
    .command("rename")
    .description("give an organization another name")
    .argument("<org>", "its id or name")
    .requiredOption("--name <name>", "its new name, of its own")
    .addOption(jsonOption())
    .action(rename);
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
  const name = readOrganizationName(options.name);
  const organization = await withStore(({ desk }) => createOrganization(desk, name), { makesStore: true });
  printRecord(showOrganization(organization), options);
}

async function list(options: OutputOptions) {
  const organizations = await withStore(({ store }) => store.listOrganizations());
  printList(organizations.map(showOrganization), options, "There is no organization yet.");
}

async function show(org: string, options: OutputOptions) {
  printRecord(showOrganization(await withStore(({ store }) => findOrganization(store, org))), options);
}

async function rename(org: string, options: OutputOptions & { name: string }) {
  const renamed = await withStore(async ({ store, desk }) => {
    const { id } = await findOrganization(store, org);
    return renameOrganization(desk, id, options.name);
  });
  printRecord(showOrganization(renamed), options);
}

async function setSuspended(org: string, suspended: boolean, options: OutputOptions) {
  const organization = await withStore(async ({ store, by }) => {
    const { id } = await findOrganization(store, org);
    return store.updateOrganization({ by, organizationId: id, suspended });
  });
  printRecord(showOrganization(organization), options);
}
