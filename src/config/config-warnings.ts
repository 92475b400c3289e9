// Settings of turngate.yaml that are valid but rarely intended.
import { BlockList, isIP } from "node:net";
import { type CatalogModel, providersOf } from "../core/models/catalog.ts";
import type { ProviderFamily } from "../providers/family.ts";
import type { BuiltInModels } from "./built-in-models.ts";
import type { ReadConfigFile } from "./config-file.ts";
import type { ModelEntry } from "./model-schema.ts";
import type { ProviderConfig } from "./provider-config.ts";
import type { Path } from "../../packages/kit/yaml-file.ts";
import { isSafe } from "../../packages/kit/addresses.ts";

/** The configuration that the warnings are about. */
export interface Configured {
  readonly providers: readonly ProviderConfig[];
  /** The file's models, in the order of their entries. */
  readonly models: readonly CatalogModel[];
  readonly builtIn: BuiltInModels;
  readonly manageUrl: string | null;
}

/** The warnings of a file, a sentence each, with its line. */
export function listWarnings(file: ReadConfigFile, configured: Configured): readonly string[] {
  return [
    ...listUnpriced(file, configured),
    ...listIdle(file, configured),
    ...listWithoutAddress(file, configured),
    ...listPlainContent(file),
    ...listTrusting(file),
  ];
}

function listTrusting(file: ReadConfigFile): readonly string[] {
  return (file.config.server?.trusted_proxies ?? []).flatMap((text, index) => {
    if (!text.endsWith("/0")) return [];
    const message = `server.trusted_proxies has ${text}: every client may then name any address as its own.`;
    return [file.errorAt(["server", "trusted_proxies", index], message).message];
  });
}

/** Inside a cluster that may be intended. */
function listPlainContent(file: ReadConfigFile): readonly string[] {
  const given = file.config.content_export;
  if (given === undefined || isSafe(new URL(given.url))) return [];
  const message = "content_export.url is an http:// address: what turns say leaves this machine unencrypted.";
  return [file.errorAt(["content_export", "url"], message).message];
}

/** The provider sends browsers back to a registered address only. */
function listWithoutAddress(file: ReadConfigFile, { manageUrl }: Configured): readonly string[] {
  if (file.config.single_sign_on === undefined || manageUrl !== null) return [];
  const message =
    "single_sign_on without server.manage_url: people are sent back to the address in their browser. Set the one that is registered at the provider.";
  return [file.errorAt(["single_sign_on"], message).message];
}

function listUnpriced(file: ReadConfigFile, { providers, builtIn }: Configured): readonly string[] {
  const paid = new Set(
    providers
      .filter(({ family, baseUrl }) => family.isPaid || (baseUrl !== null && isPublic(new URL(baseUrl))))
      .map(({ name }) => name),
  );
  const knows = (family: ProviderFamily | undefined, upstreamModel: string) =>
    builtIn.values().some((known) => known.family === family && known.model.upstreamModel === upstreamModel);
  return (file.config.models ?? []).flatMap((entry, index) => {
    if (isPriced(entry)) return [];
    const warn = (path: Path, what: string) =>
      file.errorAt(
        ["models", index, ...path],
        `${what}, has no prices, so its turns are charged nothing. Set prices, 0 if that is intended.`,
      ).message;
    if (entry.targets === undefined) {
      const provider = entry.provider ?? entry.id.slice(0, entry.id.indexOf("/"));
      return builtIn.has(entry.id) || !paid.has(provider) ? [] : [warn([], `models[${index}], ${entry.id}`)];
    }
    return entry.targets.flatMap((target, at) => {
      const family = providers.find(({ name }) => name === target.provider)?.family;
      if (isPriced(target) || !paid.has(target.provider) || knows(family, target.upstream_model)) return [];
      return [warn(["targets", at], `models[${index}].targets[${at}], ${target.provider}/${target.upstream_model}`)];
    });
  });
}

function isPriced({ prices }: Pick<ModelEntry, "prices">): boolean {
  return prices?.input !== undefined || prices?.output !== undefined;
}

const PRIVATE_ADDRESSES = new BlockList();
for (const [net, prefix, family] of [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["::", 127, "ipv6"],
  ["fc00::", 7, "ipv6"],
  ["fe80::", 10, "ipv6"],
] as const) {
  PRIVATE_ADDRESSES.addSubnet(net, prefix, family);
}

/** Names that no public server has: of one label, or under one of the domains of private networks. */
const PRIVATE_NAME = /^[^.]+$|\.(?:local|localhost|internal|lan|home\.arpa|svc|test)\.?$/;

/** Whether a server's address is one of the internet, where models cost money. No name is looked up. */
function isPublic({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const version = isIP(host);
  if (version === 0) return !PRIVATE_NAME.test(host);
  return !PRIVATE_ADDRESSES.check(host, version === 4 ? "ipv4" : "ipv6");
}

function listIdle(file: ReadConfigFile, { providers, models, builtIn }: Configured): readonly string[] {
  const withBuiltIn = file.config.catalog === "none" ? [] : [...builtIn.values()].map(({ family }) => family);
  const serving = new Set([
    ...models.flatMap(providersOf),
    ...withBuiltIn.map((family) => providers.find((provider) => provider.family === family)?.name),
  ]);
  return providers
    .filter(({ name }) => !serving.has(name))
    .map(({ name, because }) => {
      const message = `the provider "${name}" serves no model; list its models under models.`;
      const isOfFile = Object.hasOwn(file.config.providers ?? {}, name);
      return isOfFile ? file.errorAt(["providers", name], message).message : `${because}: ${message}`;
    });
}
