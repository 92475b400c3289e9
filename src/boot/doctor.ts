// The checks of `doctor`. A check that throws reports a fault. Nothing is created or changed.
import { existsSync } from "node:fs";
import { buildCatalog } from "../config/catalog.ts";
import { type Config, readConfig } from "../config/config.ts";
import type { TargetModel } from "../core/models/catalog.ts";
import { listUnpricedDiscovered } from "../config/discovered-models.ts";
import { trust } from "../config/extra-certificates.ts";
import { describeForeignSecret, isSecretExposed, readRootSecrets, secretPathOf } from "../config/root-secret.ts";
import { countOf } from "../../packages/kit/output.ts";
import { ENGINES } from "../store/engines.ts";
import { CHECKED_PARTS, type StoreEngine } from "../store/store-engine.ts";
import { createSystemClock } from "../system/clock.ts";
import { createRootKeys } from "../system/root-keys.ts";
import { baseUrlOf, originOf } from "./origins.ts";
import { buildDiscoveredCatalog } from "./discovery.ts";
import { hostLibraries } from "./libraries.ts";
import { findServing } from "./serving-file.ts";

export interface Finding extends Record<string, unknown> {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Runs every check; with an invalid configuration only those that need none. */
export async function examine(): Promise<readonly Finding[]> {
  const reading = readConfig();
  const configuration = await find("configuration", async () => describeConfig(await reading));
  const runtime = await find("runtime", describeRuntime);
  if (!configuration.ok) return [configuration, runtime];

  const config = await reading;
  trust(config.extraCertificates);
  const findings = [configuration, runtime];
  const engine = await ENGINES[config.database.engine]();
  findings.push(await find("public URL", () => checkPublicUrl(config)));
  findings.push(await find("secret", () => checkSecret(config, engine)));
  for (const part of CHECKED_PARTS) {
    const check = engine.checks[part];
    if (check !== undefined) findings.push(await find(part, () => check(config.database.location)));
  }
  const named = organizationsOf(config);
  if (named.length > 0) findings.push(await find("organizations", () => checkOrganizations(named, config, engine)));
  findings.push(await find("catalog", () => checkCatalog(config)));
  const discovered = await discover(config);
  findings.push({ check: "prices", ok: true, detail: describePrices(config.prices) });
  for (const model of config.models) {
    if (model.targets !== undefined)
      findings.push({ check: `targets ${model.id}`, ok: true, detail: describe(model.targets) });
  }
  const serving = await findServing(config);
  if (serving !== null) {
    const detail = `process ${serving.process} at ${serving.base_url} serves ${serving.serves}`;
    findings.push({ check: "running service", ok: true, detail });
  }
  findings.push(...discovered.failures.map((detail) => ({ check: "discovery", ok: false, detail })));
  for (const warning of [...config.warnings, ...discovered.warnings])
    findings.push({ check: "warning", ok: true, detail: warning });
  // In parallel, since each one that does not reply takes its whole timeout.
  const providers = findProviders(config);
  const reached: Promise<Finding>[] = [];
  if (config.singleSignOn !== null) {
    const { reachSingleSignOn } = await import("./single-sign-on.ts");
    reached.push(find("single sign-on", () => reachSingleSignOn(config)));
  }
  if (config.contentExport !== null) {
    const { reachContentExport } = await import("./content-export.ts");
    reached.push(find("content export", () => reachContentExport(config)));
  }
  return [...findings, ...(await providers), ...(await Promise.all(reached))];
}

function describeConfig(config: Config): string {
  return config.file ?? "no file: defaults and environment";
}

async function find(check: string, look: () => string | Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, detail: await look() };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { check, ok: false, detail: message.trim().replace(/\s*\n\s*/g, " ") };
  }
}

async function describeRuntime(): Promise<string> {
  const engine = await ENGINES.sqlite();
  return `Node ${process.versions.node}, ${engine.describeRuntime()}`;
}

/** Its form is checked when the configuration is read. */
function checkPublicUrl({ publicUrl, host, port, manageHost, managePort, manageUrl }: Config): string {
  if (publicUrl === null) return `not set: people see ${baseUrlOf(host, port)}`;
  if (new URL(publicUrl).origin === originOf(manageHost, managePort)) {
    throw new Error(`${publicUrl} is where the management interface listens: give that of /v1`);
  }
  if (manageUrl?.startsWith("https:") === true && publicUrl.startsWith("http:")) {
    return `${publicUrl}, which sends keys unencrypted`;
  }
  return publicUrl;
}

async function checkSecret(config: Config, engine: StoreEngine): Promise<string> {
  const { rootSecret, database } = config;
  const path = secretPathOf(database);
  const isNew = !(await engine.exists(database.location));
  if (rootSecret === null && isNew && !existsSync(path)) return `${path}: created by the first start`;
  const { checkValues } = createRootKeys(readRootSecrets(config, isNew));
  const kept = isNew ? null : await engine.readSecretCheck(database.location);
  if (kept !== null && !checkValues.includes(kept)) throw new Error(describeForeignSecret(config));
  const [current = "", former] = checkValues;
  if (
    kept === current &&
    former === undefined &&
    (await engine.planMigration(database.location)).missing.length === 0
  ) {
    const left = await engine.countFormerHashes(database.location, current);
    if (left > 0)
      throw new Error(
        `${countOf(left, "secret")} of keys and tokens were hashed with a former root secret that is not here, and are rejected: \`turngate secret status\` names them`,
      );
  }
  const note = kept === checkValues[1] ? ", not in use yet: `turngate secret rotate` begins to" : "";
  if (rootSecret !== null) return `TURNGATE_SECRET${note}`;
  if (isSecretExposed(path)) throw new Error(`${path} is readable by other users: chmod 600 ${path}`);
  return path + note;
}

interface NamedOrganization {
  readonly idOrName: string;
  /** The setting that names it. */
  readonly setting: string;
}

/** The organizations that the configuration names. */
function organizationsOf({ singleSignOn, contentExport }: Config): readonly NamedOrganization[] {
  const rules = singleSignOn?.policy.rules ?? [];
  const exported = contentExport === null || contentExport.organizations === "all" ? [] : contentExport.organizations;
  return [
    ...rules.flatMap((rule, at) =>
      // The organizations of a pattern are those that there are.
      rule.role === "operator" || rule.isPattern
        ? []
        : [{ idOrName: rule.organization, setting: `single_sign_on.rules[${at}]` }],
    ),
    ...exported.map((idOrName, at) => ({ idOrName, setting: `content_export.organizations[${at}]` })),
  ];
}

async function checkOrganizations(
  named: readonly NamedOrganization[],
  { database: { location } }: Config,
  engine: StoreEngine,
): Promise<string> {
  if (!(await engine.exists(location)) || (await engine.planMigration(location)).missing.length > 0)
    return "checked when the store has the schema of this version";
  const idsOrNames = [...new Set(named.map(({ idOrName }) => idOrName))];
  const found = await engine.findOrganizations(location, idsOrNames);
  const missing = named.filter(({ idOrName }) => !found.includes(idOrName));
  if (missing.length === 0) return `${idsOrNames.length} named in the configuration, all there`;
  const list = missing.map(({ idOrName, setting }) => `"${idOrName}" (${setting})`).join(", ");
  throw new Error(`there is no organization ${list}: its people can't sign in, and nothing of it is exported`);
}

async function checkCatalog(config: Config): Promise<string> {
  const { models } = await buildCatalog(config);
  const mayFind = config.providers.some(({ discovers }) => discovers);
  if (models.length === 0 && !mayFind) throw new Error("there is no model: configure some in turngate.yaml");
  return `${models.length} models`;
}

/** What is wrong with the models that servers list; nothing if the catalog has faults, which is a finding of its own. */
async function discover(config: Config): Promise<Record<"failures" | "warnings", readonly string[]>> {
  const none = { failures: [], warnings: [] };
  if (!config.providers.some(({ discovers }) => discovers)) return none;
  try {
    const { catalog, failures } = await buildDiscoveredCatalog(config);
    return { failures, warnings: listUnpricedDiscovered(catalog.models, config.providers) };
  } catch {
    return none;
  }
}

function describePrices({ models, date, own }: Config["prices"]): string {
  const also = own === null ? "" : `, over it ${own.path} of ${own.date}`;
  return `${models.size} models in the price file of ${date}${also}`;
}

function describe(targets: readonly TargetModel[]): string {
  return targets.map(({ target, order, weight }) => `${target} (order ${order}, weight ${weight})`).join(", ");
}

async function findProviders({ providers, proxies }: Config): Promise<readonly Finding[]> {
  // Loaded late, since it loads the provider families.
  const { askProviders } = await import("../providers/ask-providers.ts");
  const clock = createSystemClock();
  const found = await askProviders(providers, { ...hostLibraries(proxies, clock), clock, proxies });
  return found.flatMap(({ name, keys }) =>
    keys.map(({ position, isOk, detail }) => {
      const of = keys.length === 1 ? "" : `, key ${position}`;
      return { check: `provider ${name}${of}`, ok: isOk, detail };
    }),
  );
}
