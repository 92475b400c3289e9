// Current occupancy and the limits it approaches, read at each scrape.
import Gauge from "prom-client/lib/gauge.js";
import type Registry from "prom-client/lib/registry.js";
import type { ServiceLimits } from "../../contract/limits.ts";
import type { Occupancy } from "../../ports/telemetry.ts";

export function addOccupancyGauges(
  registry: Registry,
  occupancy: () => Occupancy,
  limits: Pick<ServiceLimits, "concurrent_turns" | "queued_turns">,
): void {
  const add = (name: string, help: string, read: () => number) => {
    const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(read()) });
  };
  add("turngate_turns_running", "Turns that hold a slot.", () => occupancy().turnsRunning);
  add("turngate_turns_running_limit", "Number of slots (concurrent_turns).", () => limits.concurrent_turns);
  add("turngate_turns_queued", "Turns that wait for a slot.", () => occupancy().turnsQueued);
  add("turngate_turns_queued_limit", "Places in the queue (queued_turns).", () => limits.queued_turns);
  add(
    "turngate_creates_admitted",
    "Creates between arrival and begin, and turns being settled.",
    () => occupancy().createsAdmitted,
  );
  add("turngate_open_streams", "Open streams.", () => occupancy().openStreams);
  add("turngate_node_member", "1 while this process holds its lease as a node.", () => Number(occupancy().isMember));
  add("turngate_draining", "1 while the service drains and rejects new work.", () => Number(occupancy().isDraining));
}
