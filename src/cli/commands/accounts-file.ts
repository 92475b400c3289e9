// turngate plan FILE, turngate apply FILE, turngate orgs file: organizations with rules, members, keys and budgets as a file.
import { closeSync, writeSync } from "node:fs";
import { type Command, CommanderError } from "commander";
import type { AccountsFile } from "../../contract/manage/accounts-file.ts";
import { AccountsFileFault, type ExistingOrganization } from "../../core/accounts-file/account-change.ts";
import { asAccountsFile } from "../../core/accounts-file/as-file.ts";
import { type AccountsPlan, planAccounts } from "../../core/accounts-file/plan-accounts.ts";
import { createAccountChanger, type MadeKey, readAccounts } from "../../manage/accounts-file.ts";
import { describeLeftValid, findLeftValid } from "../../manage/left-valid.ts";
import { printWarnings } from "../../boot/warnings.ts";
import { OperatorError } from "../../../packages/kit/operator-error.ts";
import { describeChange, describeUnlisted } from "./accounts-plan-text.ts";
import { openNewFile, writeNewFile } from "../../../packages/kit/new-file.ts";
import { escapeVariables } from "../../../packages/kit/yaml-file.ts";
import { type Accounts, withAccounts } from "../manage/with-accounts.ts";
import { addServiceOptions, ORGANIZATION, type ScopeOptions, type ServiceOptions } from "./options.ts";
import { countOf, jsonOf, type OutputOptions, print, prints } from "../../../packages/kit/output.ts";

const FILE = ["<file>", "the file of accounts, YAML or JSON"] as const;
const PRUNE = ["--prune", "remove members, keys and budgets that are missing from the lists of the file"] as const;
/** The exit code of a plan with changes, as of `terraform plan -detailed-exitcode` and `diff`. */
const HAS_CHANGES = 2;

/** Adds `plan FILE` to the group `plan`. A file that has the name of another command of the group is written `./start`. */
export function addPlanOfFile(plan: Command): void {
  const command = plan
    .command("file", { isDefault: true })
    .description("show what `apply` would change; exits with 2 if there are changes")
    .argument(...FILE)
    .option(...PRUNE);
  addServiceOptions(command).action(prints(planFile, describePlan, failOnChanges));
}

export function addApply(program: Command): void {
  const command = program
    .command("apply")
    .description("make organizations, members, keys and budgets match a file; repeated, it changes nothing")
    .argument(...FILE)
    .option(...PRUNE)
    .option(
      "--secrets <file>",
      "a new file, readable by you alone, for the secrets of new keys, a line of JSON each; needed where the output is no terminal",
    );
  addServiceOptions(command).action(apply);
}

export function addOrgsFile(orgs: Command): void {
  const command = orgs
    .command("file")
    .description("make a file of accounts for `plan` and `apply`, without secrets, members' passwords and balances")
    .option(...ORGANIZATION)
    .option("--write <file>", "a new file to write instead of stdout");
  addServiceOptions(command).action(writeAccounts);
}

interface PlanOptions extends ServiceOptions {
  readonly prune?: boolean;
}

async function planFile(file: string, options: PlanOptions) {
  const { plan } = await withPlan(file, options, { createsStore: false }, async (_, planned) => planned);
  return { changes: plan.changes, unlisted: plan.unlisted };
}

function describePlan({ changes, unlisted }: Pick<AccountsPlan, "changes" | "unlisted">): string {
  const end =
    changes.length === 0 ? "No change." : `${countOf(changes.length, "change")}; \`turngate apply\` makes them.`;
  return [...changes.map(describeChange), ...describeUnlisted(unlisted), end].map((line) => `${line}\n`).join("");
}

/** Throws an exit code without a message. */
function failOnChanges({ changes }: Pick<AccountsPlan, "changes">): void {
  if (changes.length > 0) throw new CommanderError(HAS_CHANGES, "turngate.hasChanges", "");
}

async function apply(file: string, options: PlanOptions & OutputOptions & { secrets?: string }) {
  await withPlan(file, options, { createsStore: true }, async ({ callIn }, { plan, present }) => {
    const { changes, unlisted } = plan;
    const changer = createAccountChanger(callIn, present);
    const makesKeys = changes.some(({ object, action }) => object === "key" && action === "create");
    if (makesKeys && options.secrets === undefined) assertTerminal();
    // Before the first change: a secret that could not be written would be lost.
    const secrets = openSecrets(makesKeys ? options.secrets : undefined, options);
    const keys: Partial<MadeKey>[] = [];
    let made = 0;
    try {
      for (const change of changes) {
        // oxlint-disable-next-line no-await-in-loop -- the changes are in an order in which they can be made
        const key = await changer.make(change);
        made += 1;
        if (!options.json) print(`${describeChange(change)}\n`);
        if (key !== null) keys.push(secrets.keep(key));
      }
    } catch (error) {
      const failed = changes[made];
      const where = failed === undefined ? "" : ` This was at \`${describeChange(failed)}\``;
      const settings = changer.madeSettings();
      const part = settings.length === 0 ? "" : `, of which these were made: ${settings.join(", ")}`;
      throw new OperatorError(
        `${messageOf(error)}${where}${part}. ${made} of ${countOf(changes.length, "change")} were made; apply again.`,
        { cause: error },
      );
    } finally {
      secrets.close();
      // Also after an error: a secret is shown only once.
      if (options.json) print(jsonOf({ changes: changes.slice(0, made), keys, unlisted }));
    }
    if (options.json) return;
    for (const line of describeUnlisted(unlisted)) print(`${line}\n`);
    print(changes.length === 0 ? "No change.\n" : `${countOf(changes.length, "change")} made.\n`);
  });
}

interface Planned {
  readonly plan: AccountsPlan;
  readonly present: readonly ExistingOrganization[];
}

async function withPlan<T>(
  name: string,
  { prune = false, ...service }: PlanOptions,
  store: { readonly createsStore: boolean },
  work: (there: Accounts, planned: Planned) => Promise<T>,
): Promise<T> {
  // Loaded late: the YAML library takes a tenth of a second.
  const { readAccountsFile } = await import("../../config/accounts-file.ts");
  const { accounts: file, faultAt } = readAccountsFile(name, process.env);
  return withAccounts(service, store, async (there) => {
    const present = await readAccounts(there.callIn, file);
    const [catalog, retention] = [await there.catalog(), await there.retention()];
    let plan: AccountsPlan;
    try {
      plan = planAccounts({ file, present, catalog, retention, prune });
    } catch (error) {
      throw error instanceof AccountsFileFault ? faultAt(error.place, error.predicate) : error;
    }
    printWarnings(plan.unknownModels.map((id) => `the catalog has no model "${id}"; the rule applies once it does.`));
    const left = await findLeftValid(there.callIn, { plan, present }, Math.floor(Date.now() / 1000));
    printWarnings(left.map(describeLeftValid));
    return work(there, { plan, present });
  });
}

/** Throws an OperatorError unless a person reads the output: what a pipe gets ends up in the log of a pipeline. */
function assertTerminal(): void {
  if (process.stdout.isTTY) return;
  throw new OperatorError(
    "the secrets of new keys are printed on a terminal only, and standard output is none. Name a new file for them: --secrets FILE. Nothing was changed.",
  );
}

/** Where secrets go: to a new file, or to stdout with everything else. */
function openSecrets(file: string | undefined, { json }: OutputOptions) {
  const descriptor = file === undefined ? null : openNewFile(file);
  return {
    /** Keeps the secret of a key; returns what the output shows of the key. */
    keep(key: MadeKey): Partial<MadeKey> {
      if (descriptor !== null) {
        writeSync(descriptor, `${JSON.stringify(key)}\n`);
        const { secret: _, ...rest } = key;
        return rest;
      }
      if (!json) print(`    ${key.id}  ${key.secret}\n`);
      return key;
    },
    close() {
      if (descriptor !== null) closeSync(descriptor);
    },
  };
}

async function writeAccounts(options: OutputOptions & ScopeOptions & ServiceOptions & { write?: string }) {
  const { org } = options;
  const accounts = await withAccounts(options, { createsStore: false }, async ({ callIn }): Promise<AccountsFile> => {
    const present = await readAccounts(callIn, null);
    const named = present.filter(({ id, values }) => org === undefined || id === org || values.name === org);
    if (named.length === 0 && org !== undefined) {
      throw new OperatorError(`there is no organization "${org}"; \`orgs list\` shows them.`);
    }
    // Names are other people's: one like ${TURNGATE_TOKEN} would give them the value of the variable.
    return escapeVariables(asAccountsFile(named)) as AccountsFile;
  });
  const { write } = options;
  const { stringify } = await import("yaml");
  const text = options.json
    ? jsonOf(accounts)
    : `# Accounts of Turngate: \`turngate plan\` compares, \`turngate apply\` changes.\n${stringify(accounts)}`;
  if (write === undefined) return print(text);
  writeNewFile(write, text);
  print(`Wrote ${countOf(accounts.organizations.length, "organization")} to ${write}.\n`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
