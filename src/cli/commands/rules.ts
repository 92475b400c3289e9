// turngate policy set, limits set: the models an organization may use, and how much.
import type { Command } from "commander";
import { readPolicyModels } from "../../core/models/policy.ts";
import { NO_POLICY, type OrganizationLimits, type OrganizationPolicy } from "../../ports/store/accounts.ts";
import { buildCatalog } from "../../config/catalog.ts";
import type { Config } from "../../config/config.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { ORGANIZATION, type OrganizationOptions, wholeNumberOr } from "./options.ts";
import { printWarnings } from "../../boot/warnings.ts";
import { tryPolicy } from "../../flows/accounts/trials.ts";
import { linesOf, type OutputOptions, prints, printsRecord, tableOf } from "./output.ts";
import { changeOrganization, updateOrganization, withOrganization } from "./with-store.ts";

export function addRules(program: Command): void {
  const policy = program.command("policy").description("the models and tool calls an organization may use");
  policy
    .command("try")
    .description("show which turns of the last 30 days a policy would have rejected; nothing is changed")
    .requiredOption(...ORGANIZATION)
    .option("--allow-model <id...>", "only these models would be allowed (default: all)")
    .option("--deny-model <id...>", "these models would be denied (default: none)")
    .action(prints(tryOut, ({ models, ...trial }) => linesOf(trial) + tableOf(models, "It would have rejected none.")));
  policy
    .command("set")
    .description("set the given rules; the others stay")
    .requiredOption(...ORGANIZATION)
    .option("--clear", "remove all rules first")
    .option("--allow-model <id...>", "allow only these models, or `all`")
    .option("--deny-model <id...>", "deny these models, or `none`")
    .option(
      "--tool-calls-per-turn <number>",
      "most tool calls of a turn, or `none` for no limit",
      wholeNumberOr("none", 0),
    )
    .action(printsRecord(setPolicy));

  program
    .command("limits")
    .description("the rates of an organization, and what it may have at once")
    .command("set")
    .description("set the given limits, or restore the service's with `default`; the others stay")
    .requiredOption(...ORGANIZATION)
    .option("--create-per-minute <number>", "create requests a minute", wholeNumberOr("default", 1))
    .option("--retrieve-per-minute <number>", "retrieve requests a minute", wholeNumberOr("default", 1))
    .option("--delete-per-minute <number>", "delete and cancel requests a minute", wholeNumberOr("default", 1))
    .option("--open-streams <number>", "streams open at once", wholeNumberOr("default", 0))
    .option(
      "--concurrent-turns <number>",
      "turns at once on each node, running and queued",
      wholeNumberOr("default", 1),
    )
    .action(printsRecord(setLimits));
}

interface PolicyOptions extends OrganizationOptions {
  readonly clear?: boolean;
  readonly allowModel?: readonly string[];
  readonly denyModel?: readonly string[];
  readonly toolCallsPerTurn?: number | "none";
}

function setPolicy(options: PolicyOptions) {
  if (!(options.clear || options.allowModel || options.denyModel || options.toolCallsPerTurn !== undefined)) {
    throw new OperatorError("nothing to set: give --allow-model, --deny-model, --tool-calls-per-turn or --clear.");
  }
  return changeOrganization(options.org, async ({ store, config, by }, { id }) => {
    const { allowModel, denyModel, toolCallsPerTurn: toolCalls } = options;
    const policy: Partial<OrganizationPolicy> = {
      ...(options.clear ? NO_POLICY : {}),
      ...(allowModel && { allowModels: await readModels(allowModel, { word: "all", none: null, config }) }),
      ...(denyModel && { denyModels: await readModels(denyModel, { word: "none", none: [], config }) }),
      ...(toolCalls !== undefined && { toolCallsPerTurn: readNumber(toolCalls) }),
    };
    return store.updateOrganization({ by, organizationId: id, policy });
  });
}

function tryOut(options: OrganizationOptions & Pick<PolicyOptions, "allowModel" | "denyModel">) {
  return withOrganization(options.org, async (services, { id }) => {
    const { config } = services;
    const allowModels = await readModels(options.allowModel ?? ["all"], { word: "all", none: null, config });
    const denyModels = await readModels(options.denyModel ?? ["none"], { word: "none", none: [], config });
    return tryPolicy(services, id, { allowModels, denyModels });
  });
}

/** A list of models; the word stands for no rule. A model that the catalog does not have is a warning. */
async function readModels<None extends null | readonly string[]>(
  given: readonly string[],
  { word, none, config }: { word: string; none: None; config: Config },
): Promise<readonly string[] | None> {
  if (given.length === 1 && given[0] === word) return none;
  const models = readPolicyModels(given, await buildCatalog(config));
  if ("wrong" in models) throw new OperatorError(`${models.wrong} \`models list\` shows them.`);
  printWarnings(models.unknown.map((id) => `the catalog has no model "${id}"; the rule applies once it does.`));
  return models.ids;
}

/** The limits have the names of their options, which commander leaves out if they are not given. */
type LimitsOptions = OrganizationOptions &
  OutputOptions & { readonly [Limit in keyof OrganizationLimits]?: number | "default" };

function setLimits(options: LimitsOptions) {
  const { org, json: _, ...given } = options;
  if (Object.keys(given).length === 0) {
    throw new OperatorError(
      "nothing to set: give --create-per-minute, --retrieve-per-minute, --delete-per-minute, --open-streams or " +
        "--concurrent-turns.",
    );
  }
  const limits = Object.fromEntries(Object.entries(given).map(([name, limit]) => [name, readNumber(limit)]));
  return updateOrganization(org, { limits });
}

/** A number; a word stands for null. */
function readNumber(given: number | string): number | null {
  return typeof given === "number" ? given : null;
}
