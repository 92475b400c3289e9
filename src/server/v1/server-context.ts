// Everything that serving a request needs besides the request.
import type { FairCapacity } from "../../base/fair-capacity.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import type { BodyCapacity } from "../shared/body-capacity.ts";
import type { Service } from "./operations.ts";

/** The parts and limits of the /v1 server. */
export interface ServerContext {
  readonly service: Service;
  readonly clock: Clock;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly bodyCapacity: BodyCapacity;
  readonly bodyBytesMax: number;
  /** Bytes of long replies that are being read or sent. */
  readonly replyCapacity: FairCapacity;
  /** A stream sends a comment after this many milliseconds without a frame. */
  readonly keepAliveMs: number;
}
