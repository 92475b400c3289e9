/** Streams that are opened and kept open. */
import { Connection } from "./connection.ts";

export interface HeldStreams {
  readonly opened: number;
  /** Answered at once, closed, or not open in time. */
  readonly refused: number;
  readonly close: () => void;
}

export interface HoldOptions {
  readonly port: number;
  readonly streams: number;
  readonly request: Buffer;
  /** A stream counts as open once this was seen. */
  readonly marker: string;
}

/** How many streams may be on their way at once: an even ramp, not a flood. */
const OPENING_MAX = 64;
const DEADLINE_MILLISECONDS = 60_000;

/** Opens the streams and answers once each is open or refused, or the time is over. */
export function holdStreams({ port, streams, request, marker }: HoldOptions): Promise<HeldStreams> {
  const { promise, resolve } = Promise.withResolvers<HeldStreams>();
  const connections: Connection[] = [];
  let [opened, refused] = [0, 0];
  const close = (): void => {
    for (const connection of connections) connection.destroy();
  };
  const deadline = setTimeout(() => resolve({ opened, refused: streams - opened, close }), DEADLINE_MILLISECONDS);
  const settle = (): void => {
    if (opened + refused === streams) {
      clearTimeout(deadline);
      resolve({ opened, refused, close });
    }
    if (connections.length < streams) open();
  };
  const refuse = (): void => {
    refused++;
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
      onAnswer: refuse,
      onClose: refuse,
    });
    connections.push(connection);
    connection.send(request);
  };
  for (let index = 0; index < Math.min(OPENING_MAX, streams); index++) open();
  return promise;
}
