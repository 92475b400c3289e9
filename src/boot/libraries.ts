// What the credentials of hosts need of the process.
import { installation } from "../installation/installation.ts";
import type { Proxies } from "../providers/wire/proxies.ts";
import type { HostServices } from "../providers/host.ts";
import { createOutgoingFetch } from "./outgoing-fetch.ts";

/** Packages that do not come with the program, and how they send their requests. */
export function hostLibraries(proxies: Proxies): Pick<HostServices, "loadLibrary" | "fetch"> {
  return {
    loadLibrary: async (name) => (await installation.openLibraries()).load(name),
    fetch: createOutgoingFetch(proxies),
  };
}
