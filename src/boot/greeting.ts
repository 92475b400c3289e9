// The texts that a start prints for people.
import { type CatalogModel, providersOf } from "../core/models/catalog.ts";
import { isWildcard } from "../core/models/wildcards.ts";
import type { ProviderConfig } from "../config/provider-config.ts";
import { quote } from "../installation/command.ts";
import { installation } from "../installation/installation.ts";
import type { ShownSecret } from "./greeting-output.ts";

/** The names that the first start gives, which the greeting repeats in commands. */
export const FIRST_ORGANIZATION = "default";
export const FIRST_OWNER = "owner@localhost";

const BOOTSTRAP_VARIABLE = "TURNGATE_BOOTSTRAP_API_KEY";
const COMMAND = installation.command;

/** Where the first key is: in a variable, or in the file that one names, or where the greeting shows it. */
export type FirstKey = { readonly givenBy: string } | ShownSecret;

/** Shows the first key as soon as it exists, since nothing can show it again. A key from the environment is never printed. */
export function greetWithKey(key: FirstKey): string {
  if ("givenBy" in key) {
    const { givenBy } = key;
    return `\nAPI key:   ${givenBy === BOOTSTRAP_VARIABLE ? `the value of ${givenBy}` : `in the file that ${givenBy} names`}\n`;
  }
  return `\nAPI key:   ${describeSecret(key)}\n           (shown once; \`${createKeyCommand(FIRST_ORGANIZATION)}\` creates another)\n`;
}

/** Shows the link that opens the management app signed in. */
export function greetWithLink(link: ShownSecret): string {
  const command = `${COMMAND} members sign-in-link ${FIRST_OWNER} --org ${FIRST_ORGANIZATION}`;
  return `Sign in:   ${describeSecret(link)}\n           (works once; \`${command}\` creates another)\n`;
}

function describeSecret(secret: ShownSecret): string {
  if ("value" in secret) return secret.value;
  return "reason" in secret ? `could not be written to ${secret.path}: ${secret.reason}` : `in the file ${secret.path}`;
}

/** The facts about keys that a later start prints; it shows no key. */
export interface LaterKeys {
  /** The names of all organizations. */
  readonly organizations: readonly string[];
  /** Whether the key of the environment is one of this store; null: the environment has none. */
  readonly given: "known" | "unknown" | null;
}

/** Shows the command that creates a key. */
export function greetLater({ organizations, given }: LaterKeys): string {
  const [only, ...others] = organizations;
  const organization = only === undefined || others.length > 0 ? "ORG" : quote(only);
  const how = `\nKeys:      ${createKeyCommand(organization)}\n`;
  if (given === null) return how;
  const is = given === "known" ? "it is already a key of this store" : "it is not a key of this store";
  return `${how}           (${BOOTSTRAP_VARIABLE} is ignored: only a first start uses it; ${is})\n`;
}

function createKeyCommand(organization: string): string {
  return `${COMMAND} keys create --org ${organization} --name "my key"`;
}

/** The first request to try. */
export interface FirstTry {
  readonly key: FirstKey;
  readonly model: string;
}

/** The addresses, the served models and, on a first start, a line to paste. */
export function greet(
  addresses: { baseUrl: string; manageUrl: string; hasApp: boolean },
  serves: string,
  first: FirstTry | null,
): string {
  const { baseUrl, manageUrl, hasApp } = addresses;
  const app = hasApp ? "" : "           (the app is not built: run `npm run build` in the clone)\n";
  const address = `Base URL:  ${baseUrl}\nManage:    ${manageUrl}/\n${app}Models:    ${serves}\n`;
  if (first === null) return `${address}\n`;
  const body = JSON.stringify({ model: first.model, input: "Hello" });
  const request = `curl ${baseUrl}/responses -H ${authorizationOf(first.key)} -H 'Content-Type: application/json' -d '${body}'`;
  return `${address}Try it:    ${request}\n\n`;
}

/** The header as a word for a shell: with the key, or with what the shell puts there. */
function authorizationOf(key: FirstKey): string {
  if ("value" in key) return `'Authorization: Bearer ${key.value}'`;
  if ("path" in key) return `"Authorization: Bearer $(cat ${quote(key.path)})"`;
  const { givenBy } = key;
  return `"Authorization: Bearer ${givenBy === BOOTSTRAP_VARIABLE ? `$${givenBy}` : `$(cat "$${givenBy}")`}"`;
}

/** The active providers, each with its number of models and why it is on. */
export function describeProviders(providers: readonly ProviderConfig[], models: readonly CatalogModel[]): string {
  if (providers.length === 0) return "none";
  const parts = providers.map(({ name, because }) => {
    const count = models.filter((model) => providersOf(model).includes(name)).length;
    return `${count} of ${name} (${because})`;
  });
  return parts.join(", ");
}

/**
 * The model for a first try: one of a fallback provider, which is free, else the cheapest; null if there is none. A model of a paid provider
 * without prices comes last, since its cost is unknown.
 */
export function pickFirstModel(
  providers: readonly ProviderConfig[],
  models: readonly CatalogModel[],
): CatalogModel | null {
  const families = new Map(providers.map(({ name, family }) => [name, family]));
  const cost = ({ provider, prices }: CatalogModel): number => {
    const family = families.get(provider);
    if (family?.isFallback) return -1;
    const sum = prices.input + prices.output;
    return sum === 0 && family?.isPaid ? Number.MAX_VALUE : sum;
  };
  return models.filter((model) => !isWildcard(model)).toSorted((one, other) => cost(one) - cost(other))[0] ?? null;
}
