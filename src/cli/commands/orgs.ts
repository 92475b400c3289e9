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
import { prints, printsRecord, tableOf } from "./output.ts";
import { changeOrganization, showOrganization, updateOrganization, withOrganization, withStore } from "./with-store.ts";

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
    .action(printsRecord(create));
  orgs
    .command("list")
    .description("list all organizations")
    .option("--deleted", "the deleted ones instead")
    .action(
      prints(list, (organizations, [{ deleted }]) =>
        tableOf(organizations, deleted ? "No organization was deleted." : "There is no organization yet."),
      ),
    );
  orgs
    .command("show")
    .description("show one organization")
    .argument(...ORG)
    .action(printsRecord(showOrganization));
  orgs
    .command("rename")
    .description("rename an organization")
    .argument(...ORG)
    .requiredOption("--name <name>", "unique name")
    .action(printsRecord(rename));
  orgs
    .command("retention")
    .description("show, or with --days set, after how many days without use an organization's histories are deleted")
    .argument(...ORG)
    .option("--days <number>", "days, or `default` for the service's retention", wholeNumberOr("default", 1))
    .action(printsRecord(retention));
  orgs
    .command("suspend")
    .description("reject every request of an organization (403 access_denied) until it is resumed")
    .argument(...ORG)
    .action(printsRecord((org: string) => updateOrganization(org, { suspended: true })));
  orgs
    .command("resume")
    .description("serve a suspended organization again")
    .argument(...ORG)
    .action(printsRecord((org: string) => updateOrganization(org, { suspended: false })));
  addOrgsFile(orgs);
  orgs
    .command("delete")
    .description("delete an organization with everything that it has, permanently; `orgs export-data` saves it first")
    .argument(...ORG)
    .requiredOption("--confirm <name>", "the organization's name, exactly as it is shown")
    .action(printsRecord(deleteWhole));
  addExportData(orgs);
}

async function create({ name, credits }: { name: string; credits?: bigint }) {
  const given = { name: readOrganizationName(name), creditsNano: credits };
  return presentOrganization(
    await withStore((services) => createOrganization(services, given), { createsStore: true }),
  );
}

async function list({ deleted = false }: { deleted?: boolean }) {
  const organizations = await withStore(({ store }) =>
    deleted ? store.listDeletedOrganizations({ onlyUnerased: false }) : store.listOrganizations(),
  );
  return organizations.map(presentOrganization);
}

/** Erases at once what it can. A running service erases the rest, also when this command is interrupted. */
function deleteWhole(org: string, { confirm }: { confirm: string }) {
  return changeOrganization(org, async (services, organization) => {
    const { store, by } = services;
    const deleted = await deleteOrganization(services, organization, confirm);
    await eraseOrganization(store, { organizationId: deleted.id, by, isStopped: () => false });
    return (await store.findOrganization({ idOrName: deleted.id })) ?? deleted;
  });
}

function rename(org: string, { name }: { name: string }) {
  return changeOrganization(org, (services, { id }) => renameOrganization(services, id, name));
}

function retention(org: string, { days }: { days?: number | "default" }) {
  return withOrganization(org, async (services, organization) => {
    const { limits } = services.config;
    if (days === undefined) return presentRetention(organization, limits);
    const changed = await setRetention(services, organization, days === "default" ? null : days, limits);
    return presentRetention(changed, limits);
  });
}
