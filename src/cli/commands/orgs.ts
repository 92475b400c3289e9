// turngate orgs retention
import type { Command } from "commander";
import { presentRetention, setRetention } from "../../flows/accounts/retention.ts";
import { wholeNumberOr } from "./options.ts";
import { printsRecord } from "./output.ts";
import { withOrganization } from "./with-store.ts";

export function addRetention(orgs: Command): void {
  orgs
    .command("retention")
    .description("show, or with --days set, after how many days without use an organization's histories are deleted")
    .argument("<org>", "organization, by id or name")
    .option("--days <number>", "days, or `default` for the service's retention", wholeNumberOr("default", 1))
    .action(printsRecord(retention));
}

function retention(org: string, { days }: { days?: number | "default" }) {
  return withOrganization(org, async (services, organization) => {
    const { limits } = services.config;
    if (days === undefined) return presentRetention(organization, limits);
    const changed = await setRetention(services, organization, days === "default" ? null : days, limits);
    return presentRetention(changed, limits);
  });
}
