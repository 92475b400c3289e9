/** Opens streams and keeps them open. */
import { Connection } from "./connection.ts";

export interface HeldStreams {
  readonly opened: number;
  /** Got a complete response, were closed, or did not open in time. */
  readonly rejected: number;
  readonly close: () => void;
}

export interface HoldOptions {
  readonly port: number;
  readonly streams: number;
  readonly request: Buffer;
  /** A stream counts as open once this text has arrived. */
  readonly marker: string;
}

/** Streams that may be opening at once: an even ramp, not a flood. */
const OPENING_MAX = 64;
const DEADLINE_MS = 60_000;

/** Resolves when each stream is open or rejected, or the time is over. */
export function holdStreams({ port, streams, request, marker }: HoldOptions): Promise<HeldStreams> {
  const { promise, resolve } = Promise.withResolvers<HeldStreams>();
  const connections: Connection[] = [];
  let [opened, rejected] = [0, 0];
  const close = (): void => {
    for (const connection of connections) connection.destroy();
  };
  const deadline = setTimeout(() => resolve({ opened, rejected: streams - opened, close }), DEADLINE_MS);
  const settle = (): void => {
    if (opened + rejected === streams) {
      clearTimeout(deadline);
      resolve({ opened, rejected, close });
    }
    if (connections.length < streams) open();
  };
  const reject = (): void => {
    rejected++;
    settle();
  };
  const open = (): void => {
    const connection = new Connection({
      port,
      marker,
      onMarker: () => {
        opened++;
        settle();
      },
      onResponse: reject,
      onClose: reject,
    });
    connections.push(connection);
    connection.send(request);
  };
  for (let index = 0; index < Math.min(OPENING_MAX, streams); index++) open();
  return promise;
}
