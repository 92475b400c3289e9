// turngate policy set, limits set: what an organization may use, and how much.
import type { Command } from "commander";
import { readPolicyModels } from "../../core/accounts/policy-models.ts";
import { NO_POLICY, type OrganizationLimits, type OrganizationPolicy } from "../../ports/accounts.ts";
import { buildCatalog } from "../catalog.ts";
import type { Config } from "../config.ts";
import { OperatorError } from "../operator-error.ts";
import { jsonOption, type OrganizationOptions, organizationOption, wholeNumberOr } from "./options.ts";
import { printRecord } from "./output.ts";
import { showOrganization } from "../../flows/accounts/shapes.ts";
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

interface PolicyOptions extends OrganizationOptions {
  readonly clear?: boolean;
  readonly allowModel?: readonly string[];
  readonly denyModel?: readonly string[];
  readonly toolCallsPerTurn?: number | "none";
}

async function setPolicy(options: PolicyOptions) {
  if (!(options.clear || options.allowModel || options.denyModel || options.toolCallsPerTurn !== undefined)) {
    throw new OperatorError("nothing to set: give --allow-model, --deny-model, --tool-calls-per-turn or --clear.");
  }
  const changed = await withStore(async ({ store, config, by }) => {
    const organization = await findOrganization(store, options.org);
    const { allowModel, denyModel, toolCallsPerTurn: toolCalls } = options;
    const policy: Partial<OrganizationPolicy> = {
      ...(options.clear ? NO_POLICY : {}),
      ...(allowModel && { allowModels: await readModels(allowModel, { word: "all", none: null, config }) }),
      ...(denyModel && { denyModels: await readModels(denyModel, { word: "none", none: [], config }) }),
      ...(toolCalls !== undefined && { toolCallsPerTurn: readNumber(toolCalls) }),
    };
    return store.updateOrganization({ by, organizationId: organization.id, policy });
  });
  printRecord(showOrganization(changed), options);
}

/** A list of models; a word stands for none. A model that the catalog does not have is warned of. */
async function readModels<None extends null | readonly string[]>(
  given: readonly string[],
  { word, none, config }: { word: string; none: None; config: Config },
): Promise<readonly string[] | None> {
  if (given.length === 1 && given[0] === word) return none;
  const models = readPolicyModels(given, await buildCatalog(config));
  if ("wrong" in models) throw new OperatorError(`${models.wrong} \`models list\` shows them.`);
  for (const id of models.unknown) {
    process.stderr.write(`warning: the catalog has no model "${id}"; the rule holds once it does.\n`);
  }
  return models.ids;
}

interface LimitsOptions extends OrganizationOptions {
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
    const { id } = await findOrganization(store, org);
    const { createPerMinute, retrievePerMinute, deletePerMinute, openStreams } = given;
    const limits: Partial<OrganizationLimits> = {
      ...(createPerMinute !== undefined && { createPerMinute: readNumber(createPerMinute) }),
      ...(retrievePerMinute !== undefined && { retrievePerMinute: readNumber(retrievePerMinute) }),
      ...(deletePerMinute !== undefined && { deletePerMinute: readNumber(deletePerMinute) }),
      ...(openStreams !== undefined && { openStreams: readNumber(openStreams) }),
    };
    return store.updateOrganization({ by, organizationId: id, limits });
  });
  printRecord(showOrganization(changed), { json });
}

/** A number; a word stands for none. */
function readNumber(given: number | string): number | null {
  return typeof given === "number" ? given : null;
}
