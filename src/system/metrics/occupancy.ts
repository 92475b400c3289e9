// What is occupied at this moment, beside what it may be at most.
import type { ServiceLimits } from "../../contract/limits.ts";
import type { Occupancy } from "../../ports/telemetry.ts";
import { createGauge, single } from "./gauge.ts";
import type { MetricFamily } from "./sample.ts";

export function createOccupancyGauges(
  occupancy: () => Occupancy,
  limits: Pick<ServiceLimits, "concurrent_turns" | "queued_turns">,
): readonly MetricFamily[] {
  const gauge = (name: string, help: string, value: () => number) => createGauge(name, help, [], () => single(value()));
  return [
    gauge("turngate_turns_running", "Turns that hold a slot.", () => occupancy().turnsRunning),
    gauge("turngate_turns_running_limit", "Slots there are (concurrent_turns).", () => limits.concurrent_turns),
    gauge("turngate_turns_queued", "Turns that wait for a slot.", () => occupancy().turnsQueued),
    gauge("turngate_turns_queued_limit", "Places in the queue (queued_turns).", () => limits.queued_turns),
    gauge(
      "turngate_creates_admitted",
      "Creates on their way from arrival to begin, and turns that are being settled.",
      () => occupancy().createsAdmitted,
    ),
    gauge("turngate_open_streams", "Streams that are open.", () => occupancy().openStreams),
    gauge("turngate_draining", "1 while the service stops and refuses new work.", () => Number(occupancy().isDraining)),
  ];
}
