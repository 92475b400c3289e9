// What hosts of providers use, in real time and with the libraries of the clone.
import type { HostServices } from "../../src/providers/host.ts";
import { createSystemClock } from "../../src/system/clock.ts";

export const HOST_SERVICES: HostServices = {
  clock: createSystemClock(),
  loadLibrary: (name) => import(name) as Promise<unknown>,
};
