// The checks of `doctor`. A check that throws reports a fault. Nothing is created or changed.
import { existsSync } from "node:fs";
import { buildCatalog } from "../config/catalog.ts";
import { type Config, readConfig } from "../config/config.ts";
import { trust } from "../config/extra-certificates.ts";
import type { ProviderConfig } from "../config/provider-config.ts";
import type { Proxies } from "../providers/wire/proxies.ts";
import { describeForeignSecret, isSecretExposed, readRootSecret, secretPathOf } from "../config/root-secret.ts";
import { ENGINES } from "../store/engines.ts";
import { CHECKED_PARTS, type StoreEngine } from "../store/store-engine.ts";
import { createSecrets } from "../system/hashing.ts";

export interface Finding extends Record<string, unknown> {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** How long a provider may take to reply. */
const PROVIDER_TIMEOUT_MS = 5000;

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
  findings.push(await find("secret", () => checkSecret(config, engine)));
  for (const part of CHECKED_PARTS) {
    const check = engine.checks[part];
    if (check !== undefined) findings.push(await find(part, () => check(config.database.location)));
  }
  findings.push(await find("catalog", () => checkCatalog(config)));
  for (const warning of config.warnings) findings.push({ check: "warning", ok: true, detail: warning });
  // In parallel, since each provider that does not reply takes its whole timeout.
  const reached = config.providers.flatMap((provider) =>
    keysOf(provider).map(({ of, entry }) =>
      find(`provider ${provider.name}${of}`, () => reachProvider(entry, config.proxies)),
    ),
  );
  if (config.singleSignOn !== null) {
    const { reachSingleSignOn } = await import("./single-sign-on.ts");
    reached.push(find("single sign-on", () => reachSingleSignOn(config)));
  }
  if (config.contentExport !== null) {
    const { reachContentExport } = await import("./content-export.ts");
    reached.push(find("content export", () => reachContentExport(config)));
  }
  return [...findings, ...(await Promise.all(reached))];
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

async function checkSecret(config: Config, engine: StoreEngine): Promise<string> {
  const { rootSecret, database } = config;
  const path = secretPathOf(database);
  const isNew = !(await engine.exists(database.location));
  if (rootSecret === null && isNew && !existsSync(path)) return `${path}: created by the first start`;
  const { checkValue } = createSecrets(readRootSecret(config, isNew));
  const kept = isNew ? null : await engine.readSecretCheck(database.location);
  if (kept !== null && kept !== checkValue) throw new Error(describeForeignSecret(config));
  if (rootSecret !== null) return "TURNGATE_SECRET";
  if (isSecretExposed(path)) throw new Error(`${path} is readable by other users: chmod 600 ${path}`);
  return path;
}

async function checkCatalog(config: Config): Promise<string> {
  const { models } = await buildCatalog(config);
  if (models.length === 0) throw new Error("there is no model: configure some in turngate.yaml");
  return `${models.length} models`;
}

/** A provider once for each of its keys; `of` numbers them if there are several. */
function keysOf({ furtherApiKeys = [], ...entry }: ProviderConfig): readonly { of: string; entry: ProviderConfig }[] {
  if (furtherApiKeys.length === 0) return [{ of: "", entry }];
  return [entry.apiKey, ...furtherApiKeys].map((apiKey, at) => ({
    of: `, key ${at + 1}`,
    entry: { ...entry, apiKey },
  }));
}

async function reachProvider(provider: ProviderConfig, proxies: Proxies): Promise<string> {
  // Loaded late, since it loads the provider families.
  const { createKeyCheck, sendKeyCheck } = await import("../providers/key-checks.ts");
  const { openConnector } = await import("../providers/wire/connector.ts");
  const check = await createKeyCheck(provider);
  if (check === null) return "built in";
  const { pathname } = check.url;
  const connector = openConnector(check.url, proxies, PROVIDER_TIMEOUT_MS);
  const origin =
    connector.proxy === null ? connector.origin : `${connector.origin}, through the proxy ${connector.proxy},`;
  const { status, body } = await sendKeyCheck(connector, check, AbortSignal.timeout(PROVIDER_TIMEOUT_MS))
    .catch((error: unknown) => {
      const isTimeout = error instanceof Error && error.name === "TimeoutError";
      const words = isTimeout ? `no reply within ${PROVIDER_TIMEOUT_MS / 1000} seconds` : wordsOf(error);
      throw new Error(`${origin} can't be reached (${words})`, { cause: error });
    })
    .finally(() => connector.dispatcher.destroy());
  if (check.rejectsKey(status, body)) throw new Error(`${origin} rejects the key of ${provider.name} (${status})`);
  if (status >= 500) throw new Error(`${origin} has a server error (${status})`);
  if (status >= 300 && status < 400) {
    throw new Error(`${origin} redirects (${status}), which turns do not follow: configure the target as the base URL`);
  }
  // Some servers have no list of models, but usually the base URL lacks /v1 or repeats it.
  if (status === 404) return `${origin} replies (404): there is no ${pathname}; if turns fail, check the base URL`;
  const isKeyGood = status < 300 && provider.apiKey !== null;
  return `${origin} replies (${status})${isKeyGood ? ", the key works" : ""}`;
}

/** The message of an error; that of a host with several addresses is only in its parts. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join(", ");
  return error instanceof Error ? error.message : "unknown";
}
