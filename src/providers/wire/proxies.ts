// The proxy for a request, by HTTP_PROXY, HTTPS_PROXY and NO_PROXY.
import { BlockList, isIP } from "node:net";

/** The proxies of the environment. */
export interface Proxies {
  /** For http:// addresses; null for none. */
  readonly http: URL | null;
  /** For https:// addresses; null for none. */
  readonly https: URL | null;
  /** Hosts reached directly, in the syntax of NO_PROXY. */
  readonly exempt: string;
}

/** Every request is direct. */
export const NO_PROXIES: Proxies = { http: null, https: null, exempt: "" };

/** The proxy for requests to an address; null for direct ones. */
export function proxyFor(url: URL, proxies: Proxies): URL | null {
  if (isMetadata(url)) return null;
  const proxy = url.protocol === "https:" ? proxies.https : proxies.http;
  return proxy === null || isExempt(url, proxies.exempt) ? null : proxy;
}

/** The value of `Proxy-Authorization` for a proxy; null if its address has no user and password. */
export function authorizationOf({ username, password }: URL): string | null {
  if (username === "" && password === "") return null;
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(plain).toString("base64")}`;
}

/** The addresses at which clouds tell a machine or a container who it is: a proxy would ask as itself. */
const METADATA = new BlockList();
METADATA.addSubnet("169.254.0.0", 16, "ipv4");
METADATA.addSubnet("fe80::", 10, "ipv6");
// Amazon's and Google's.
for (const address of ["fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254"]) METADATA.addAddress(address, "ipv6");

function isMetadata({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const family = isIP(host);
  if (family === 0) return host === "metadata.google.internal" || host === "metadata";
  return METADATA.check(host, family === 6 ? "ipv6" : "ipv4");
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/**
 * Whether NO_PROXY matches the host of an address: `*` matches every host, a name itself and its subdomains (also `.name` and `*.name`),
 * an address itself, `10.0.0.0/8` a network. Each entry may have a port.
 */
function isExempt(url: URL, exempt: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const port = url.port === "" ? DEFAULT_PORTS[url.protocol] : url.port;
  return exempt
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      const { name, ownPort } = readEntry(entry);
      return (ownPort === null || ownPort === port) && names(name, host);
    });
}

/** The name and port of an entry. An IPv6 address has a port only after brackets. */
function readEntry(entry: string): { readonly name: string; readonly ownPort: string | null } {
  const [, bracketed, behind] = /^\[(.+)\](?::(\d+))?$/.exec(entry) ?? [];
  if (bracketed !== undefined) return { name: bracketed, ownPort: behind ?? null };
  const [, name, port] = /^([^:]+):(\d+)$/.exec(entry) ?? [];
  return name === undefined || port === undefined ? { name: entry, ownPort: null } : { name, ownPort: port };
}

function names(entry: string, host: string): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return holds(entry, host);
  const name = entry.replace(/^\*?\./, "").replace(/\.$/, "");
  return host === name || (isIP(host) === 0 && host.endsWith(`.${name}`));
}

/** Whether a network such as `10.0.0.0/8` contains an address. */
function holds(network: string, host: string): boolean {
  const [address = "", bits = ""] = network.split("/");
  const family = isIP(address);
  const widest = family === 4 ? 32 : 128;
  if (family === 0 || isIP(host) !== family || !/^\d+$/.test(bits) || Number(bits) > widest) return false;
  const type = family === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(address, Number(bits), type);
  return list.check(host, type);
}
