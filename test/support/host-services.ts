// What hosts of providers use, in real time and with the libraries of the clone.
import type { HostServices } from "../../src/providers/host.ts";
import { createOutgoingFetch } from "../../src/boot/outgoing-fetch.ts";
import { NO_PROXIES } from "../../src/providers/wire/proxies.ts";
import { createSystemClock } from "../../src/system/clock.ts";

export const HOST_SERVICES: HostServices = {
  clock: createSystemClock(),
  fetch: createOutgoingFetch(NO_PROXIES),
  loadLibrary: (name) => import(name) as Promise<unknown>,
};
