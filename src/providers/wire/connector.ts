// Connections to one address, for turns and for `doctor`: direct, or through a proxy.
//
//   no proxy          pool ──▶ provider
//   http:// address   pool ──▶ proxy, with the whole address in the request line
//   https:// address  pool ──CONNECT──▶ proxy ──TLS──▶ provider
import type { Dispatcher } from "undici";
import { CONNECT_TIMEOUT_MS } from "./bounds.ts";
import { authorizationOf, type Proxies, proxyFor } from "./proxies.ts";
import { Pool, ProxyAgent } from "./undici.ts";

/** Dispatches requests to one address. */
export interface Connector {
  readonly dispatcher: Dispatcher;
  /** The address without its path. */
  readonly origin: string;
  /** Precedes the path of every request. */
  readonly pathPrefix: string;
  /** Sent with every request: name, value, name, value. */
  readonly headers: readonly string[];
  /** The proxy's address without user and password; null for direct connections. */
  readonly proxy: string | null;
}

/** Opens the connections of a provider, as openConnector does. */
export type OpenConnector = (url: URL, proxies: Proxies, silenceMs: number) => ProviderConnector;

/** What turns need of a connector. */
export interface ProviderConnector extends Omit<Connector, "dispatcher"> {
  readonly dispatcher: Pick<Dispatcher, "dispatch" | "destroy">;
}

/** Creates the connector of an address; it connects on demand. `silenceMs` limits the silence of the provider; 0 for no limit. */
export function openConnector(url: URL, proxies: Proxies, silenceMs: number): Connector {
  const settings: Pool.Options = {
    connectTimeout: CONNECT_TIMEOUT_MS,
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    // One request a connection: an abort closes the connection, which must not affect other requests, as with HTTP/2.
    pipelining: 1,
    allowH2: false,
  };
  const { origin } = url;
  const proxy = proxyFor(url, proxies);
  if (proxy === null) return { dispatcher: new Pool(origin, settings), origin, pathPrefix: "", headers: [], proxy };
  const common = { origin, proxy: proxy.origin };
  const authorization = authorizationOf(proxy);
  // With a TLS proxy undici would check the proxy's certificate against the target host; a tunnel avoids that.
  if (url.protocol === "http:" && proxy.protocol === "http:") {
    const headers = ["host", url.host];
    if (authorization !== null) headers.push("proxy-authorization", authorization);
    return { ...common, dispatcher: new Pool(proxy.origin, settings), pathPrefix: origin, headers };
  }
  const dispatcher = new ProxyAgent({
    uri: proxy.origin,
    ...(authorization === null ? {} : { token: authorization }),
    proxyTunnel: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    requestTls: { allowH2: false },
    proxyTls: { allowH2: false },
    factory: (target, given: Pool.Options) => new Pool(target, { ...given, ...settings }),
    // The connections that open tunnels: a silent proxy counts as unreachable.
    clientFactory: (target, given: Pool.Options) => new Pool(target, { ...given, headersTimeout: CONNECT_TIMEOUT_MS }),
  });
  return { ...common, dispatcher, pathPrefix: "", headers: [] };
}
