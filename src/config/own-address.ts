// A provider whose address is the service's own. Clients read variables such as OPENAI_BASE_URL too, so that the address that
// is meant for them easily becomes that of a provider, and each turn would then call the service again.
import { hostname, networkInterfaces } from "node:os";
import type { Config } from "./config.ts";
import { OperatorError } from "../../packages/kit/operator-error.ts";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "::1"]);
const EVERY_ADDRESS = new Set(["0.0.0.0", "::"]);

type Places = Pick<Config, "host" | "port" | "manageHost" | "managePort">;

/** Throws an OperatorError that names the first provider whose address is one where the service listens. */
export function rejectOwnAddress(config: Places & Pick<Config, "providers">): void {
  const own = config.providers.find(({ baseUrl }) => baseUrl !== null && isOwn(new URL(baseUrl), config));
  if (own === undefined) return;
  const { name, baseUrl, because, family } = own;
  const variable = family.environment?.baseUrl;
  const where = variable === undefined ? "base_url" : `base_url or ${variable}`;
  throw new OperatorError(
    `the provider "${name}" (${because}) has the address ${new URL(String(baseUrl)).origin}, where this service itself listens: each of its turns would call the service again. Set ${where} to the provider's address, or leave it out.`,
  );
}

function isOwn(url: URL, { host, port, manageHost, managePort }: Places): boolean {
  const urlPort = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  return (urlPort === port && isHostOf(url, host)) || (urlPort === managePort && isHostOf(url, manageHost));
}

/** Whether a URL's host leads to the address that is listened on. No name is looked up. */
function isHostOf(url: URL, listened: string): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (EVERY_ADDRESS.has(listened)) return LOOPBACK.has(host) || EVERY_ADDRESS.has(host) || isOfThisMachine(host);
  return host === listened.toLowerCase() || (LOOPBACK.has(host) && LOOPBACK.has(listened));
}

function isOfThisMachine(host: string): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((each = []) => each.map(({ address }) => address));
  return host === hostname().toLowerCase() || addresses.includes(host);
}
