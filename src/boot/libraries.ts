// What the credentials of hosts need of the process.
import { installation } from "../installation/installation.ts";
import type { Clock } from "../ports/clock.ts";
import type { OutgoingFetch } from "../ports/outgoing-fetch.ts";
import { CONNECT_TIMEOUT_MS } from "../providers/wire/bounds.ts";
import type { Proxies } from "../providers/wire/proxies.ts";
import type { HostServices } from "../providers/host.ts";
import { createOutgoingFetch } from "./outgoing-fetch.ts";

/** Packages that do not come with the program, and how they send their requests. */
export function hostLibraries(
  proxies: Proxies,
  clock: Pick<Clock, "after">,
): Pick<HostServices, "loadLibrary" | "fetch"> {
  return {
    loadLibrary: async (name) => (await installation.openLibraries()).load(name),
    fetch: inTime(createOutgoingFetch(proxies), clock),
  };
}

/** The same with a whole reply, in the time that anything waits for a token: a silent service would hold requests for minutes. */
function inTime(fetch: OutgoingFetch, clock: Pick<Clock, "after">): OutgoingFetch {
  return async (url, init) => {
    // An abort is the one failure that none of the libraries tries again.
    const late = new AbortController();
    const stop = clock.after(CONNECT_TIMEOUT_MS, () => late.abort());
    try {
      const signal = AbortSignal.any([late.signal, ...(init.signal ? [init.signal] : [])]);
      const response = await fetch(url, { ...init, signal });
      const body = await response.arrayBuffer();
      return new Response(body.byteLength === 0 ? null : body, response);
    } finally {
      stop();
    }
  };
}
