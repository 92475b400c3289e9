// Requests to other services than the providers of models, through the same proxies.
import { authorizationOf, type Proxies, proxyFor } from "../providers/wire/proxies.ts";
import type { OutgoingFetch } from "../ports/outgoing-fetch.ts";

/** A fetch through the proxies of the environment. undici is loaded with the first request. */
export function createOutgoingFetch(proxies: Proxies): OutgoingFetch {
  return async (url, init) => {
    const { Agent, fetch, ProxyAgent } = await import("undici");
    const proxy = proxyFor(new URL(url), proxies);
    // A sign-in is rare: its connections are not kept.
    const dispatcher = proxy === null ? new Agent() : new ProxyAgent(proxyOptions(proxy));
    try {
      return await fetch(url, { ...(init as object), dispatcher });
    } finally {
      void dispatcher.close();
    }
  };
}

function proxyOptions(proxy: URL) {
  const token = authorizationOf(proxy);
  return { uri: proxy.origin, ...(token === null ? {} : { token }) };
}
