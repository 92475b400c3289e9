// turngate policy set, limits set: what an organization may use, and how much.
import type { Command } from "commander";
import { readPolicyModels } from "../../core/accounts/policy-models.ts";
import type { OrganizationLimits, OrganizationPolicy } from "../../ports/accounts.ts";
import { buildCatalog } from "../catalog.ts";
import type { Config } from "../config.ts";
import { OperatorError } from "../operator-error.ts";
import { jsonOption, organizationOption, wholeNumberOr } from "./options.ts";
import { type OutputOptions, printRecord } from "./output.ts";
import { showOrganization } from "../../flows/manage/shapes.ts";
import { findOrganization, withStore } from "./with-store.ts";

export function addRules(program: Command): void {
  program
    .command("policy")
    .description("what an organization may use")
    .command("set")
    .description("set the rules that are given; the others stay")
    .addOption(organizationOption())
    .option("--clear", "take all rules away first")
    .option("--allow-model <id...>", "allow these models and no other, or all for every one")
    .option("--deny-model <id...>", "deny these models, or none for no one")
    .option(
      "--tool-calls-per-turn <number>",
      "most tool calls of a turn, or none for no limit",
      wholeNumberOr("none", 0),
    )
    .addOption(jsonOption())
    .action(setPolicy);

  program
    .command("limits")
    .description("how much an organization may ask for")
    .command("set")
    .description("set the limits that are given, or the service's again with default; the others stay")
    .addOption(organizationOption())
    .option("--create-per-minute <number>", "requests a minute that create", wholeNumberOr("default", 1))
    .option("--retrieve-per-minute <number>", "requests a minute that retrieve", wholeNumberOr("default", 1))
    .option("--delete-per-minute <number>", "requests a minute that delete or cancel", wholeNumberOr("default", 1))
    .option("--open-streams <number>", "streams held open at once", wholeNumberOr("default", 0))
    .addOption(jsonOption())
    .action(setLimits);
}

interface PolicyOptions extends OutputOptions {
  readonly org: string;
  readonly clear?: boolean;
  readonly allowModel?: readonly string[];
  readonly denyModel?: readonly string[];
  readonly toolCallsPerTurn?: number | "none";
}

const NO_POLICY: OrganizationPolicy = { allowModels: null, denyModels: [], toolCallsPerTurn: null };

async function setPolicy(options: PolicyOptions) {
  if (!(options.clear || options.allowModel || options.denyModel || options.toolCallsPerTurn !== undefined)) {
    throw new OperatorError("nothing to set: give --allow-model, --deny-model, --tool-calls-per-turn or --clear.");
  }
  const changed = await withStore(async ({ store, config, by }) => {
    const organization = await findOrganization(store, options.org);
    const before = options.clear ? NO_POLICY : organization.policy;
    const policy: OrganizationPolicy = {
      allowModels: await changeModels(before.allowModels, options.allowModel, { word: "all", none: null, config }),
      denyModels: await changeModels(before.denyModels, options.denyModel, { word: "none", none: [], config }),
      toolCallsPerTurn: change(before.toolCallsPerTurn, options.toolCallsPerTurn),
    };
    return store.updateOrganization({ by, organizationId: organization.id, policy });
  });
  printRecord(showOrganization(changed), options);
}

/** A list of models as it was, or as it is given; a word takes it away. A model that the catalog does not have is warned of. */
async function changeModels<None extends null | readonly string[]>(
  before: readonly string[] | None,
  given: readonly string[] | undefined,
  { word, none, config }: { word: string; none: None; config: Config },
): Promise<readonly string[] | None> {
  if (given === undefined) return before;
  if (given.length === 1 && given[0] === word) return none;
  const models = readPolicyModels(given, await buildCatalog(config));
  if ("wrong" in models) throw new OperatorError(`${models.wrong} \`models list\` shows them.`);
  for (const id of models.unknown) {
    process.stderr.write(`warning: the catalog has no model "${id}"; the rule holds once it does.\n`);
  }
  return models.ids;
}

interface LimitsOptions extends OutputOptions {
  readonly org: string;
  readonly createPerMinute?: number | "default";
  readonly retrievePerMinute?: number | "default";
  readonly deletePerMinute?: number | "default";
  readonly openStreams?: number | "default";
}

async function setLimits(options: LimitsOptions) {
  const { org, json, ...given } = options;
  if (Object.keys(given).length === 0) {
    throw new OperatorError(
      "nothing to set: give --create-per-minute, --retrieve-per-minute, --delete-per-minute or --open-streams.",
    );
  }
  const changed = await withStore(async ({ store, by }) => {
    const { id, limits: before } = await findOrganization(store, org);
    const limits: OrganizationLimits = {
      createPerMinute: change(before.createPerMinute, given.createPerMinute),
      retrievePerMinute: change(before.retrievePerMinute, given.retrievePerMinute),
      deletePerMinute: change(before.deletePerMinute, given.deletePerMinute),
      openStreams: change(before.openStreams, given.openStreams),
    };
    return store.updateOrganization({ by, organizationId: id, limits });
  });
  printRecord(showOrganization(changed), { json });
}

/** A number as it was, or as it is given; a word takes it away. */
function change(before: number | null, given: number | string | undefined): number | null {
  if (given === undefined) return before;
  return typeof given === "number" ? given : null;
}
