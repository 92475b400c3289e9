// turngate orgs …
import type { Command } from "commander";
import { readOrganizationName } from "../../core/access/account-fields.ts";
import { deleteOrganization } from "../../flows/accounts/delete-organization.ts";
import { eraseOrganization } from "../../flows/upkeep/erase-organization.ts";
import { createOrganization, renameOrganization } from "../../flows/accounts/organizations.ts";
import { presentOrganization } from "../../flows/accounts/present.ts";
import { presentRetention, setRetention } from "../../flows/accounts/retention.ts";
import { addExportData } from "./organization-data.ts";
import { addOrgsFile } from "./accounts-file.ts";
import { readAmount, wholeNumberOr } from "./options.ts";
import { type OutputOptions, printList, printRecord } from "./output.ts";
import { printOrganization, withOrganization, withStore } from "./with-store.ts";

const ORG = ["<org>", "organization, by id or name"] as const;

export function addOrgs(program: Command): void {
  const orgs = program.command("orgs").description("organizations, which own members, keys, credits and histories");

  orgs
    .command("create")
    .description("create an organization, without plan, payment method and credits unless --credits is given")
    .requiredOption("--name <name>", "unique name")
    .option(
      "--credits <credits>",
      "give it a plan, a payment method and this many credits, so it is served at once",
      readAmount,
    )
    .action(create);
  orgs
    .command("list")
    .description("list all organizations")
    .option("--deleted", "the deleted ones instead")
    .action(list);
  orgs
    .command("show")
    .description("show one organization")
    .argument(...ORG)
    .action((org: string, options: OutputOptions) => printOrganization(org, options));
  orgs
    .command("rename")
    .description("rename an organization")
    .argument(...ORG)
    .requiredOption("--name <name>", "unique name")
    .action(rename);
  orgs
    .command("retention")
    .description("show, or with --days set, after how many days without use an organization's histories are deleted")
    .argument(...ORG)
    .option("--days <number>", "days, or `default` for the service's retention", wholeNumberOr("default", 1))
    .action(retention);
  orgs
    .command("suspend")
    .description("reject every request of an organization (403 access_denied) until it is resumed")
    .argument(...ORG)
    .action((org: string, options: OutputOptions) => setSuspended(org, true, options));
  orgs
    .command("resume")
    .description("serve a suspended organization again")
    .argument(...ORG)
    .action((org: string, options: OutputOptions) => setSuspended(org, false, options));
  addOrgsFile(orgs);
  orgs
    .command("delete")
    .description("delete an organization with everything that it has, permanently; `orgs export-data` saves it first")
    .argument(...ORG)
    .requiredOption("--confirm <name>", "the organization's name, exactly as it is shown")
    .action(deleteWhole);
  addExportData(orgs);
}

async function create(options: OutputOptions & { name: string; credits?: bigint }) {
  const name = readOrganizationName(options.name);
  const given = { name, creditsNano: options.credits };
  const organization = await withStore((services) => createOrganization(services, given), { createsStore: true });
  printRecord(presentOrganization(organization), options);
}

async function list(options: OutputOptions & { deleted?: boolean }) {
  const { deleted = false } = options;
  const organizations = await withStore(({ store }) =>
    deleted ? store.listDeletedOrganizations({ onlyUnerased: false }) : store.listOrganizations(),
  );
  const none = deleted ? "No organization was deleted." : "There is no organization yet.";
  printList(organizations.map(presentOrganization), options, none);
}

/** Erases at once what it can. A running service erases the rest, also when this command is interrupted. */
function deleteWhole(org: string, options: OutputOptions & { confirm: string }): Promise<void> {
  return printOrganization(org, options, async (services, organization) => {
    const { store, by } = services;
    const deleted = await deleteOrganization(services, organization, options.confirm);
    await eraseOrganization(store, { organizationId: deleted.id, by, isStopped: () => false });
    return (await store.findOrganization({ idOrName: deleted.id })) ?? deleted;
  });
}

function rename(org: string, options: OutputOptions & { name: string }): Promise<void> {
  return printOrganization(org, options, (services, { id }) => renameOrganization(services, id, options.name));
}

async function retention(org: string, options: OutputOptions & { days?: number | "default" }): Promise<void> {
  const { days } = options;
  const shown = await withOrganization(org, async (services, organization) => {
    const { limits } = services.config;
    if (days === undefined) return presentRetention(organization, limits);
    return presentRetention(
      await setRetention(services, organization, days === "default" ? null : days, limits),
      limits,
    );
  });
  printRecord(shown, options);
}

function setSuspended(org: string, suspended: boolean, options: OutputOptions): Promise<void> {
  return printOrganization(org, options, ({ store, by }, { id }) =>
    store.updateOrganization({ by, organizationId: id, suspended }),
  );
}
