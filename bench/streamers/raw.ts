/**
 * RAW: the same streams through a minimal hand-written client: `dispatch`, an event parser and JSON.parse, without any
 * error handling.
 */
import { StringDecoder } from "node:string_decoder";
import { createParser } from "eventsource-parser";
import { Pool } from "undici";
import { givenFamily, givenHost, givenProviderUrl } from "./given.ts";
import { createFrameFeed } from "./raw-frames.ts";
import { BEDROCK_WIRE, RAW_WIRES } from "./raw-wires.ts";
import { serveStreams } from "./streams.ts";

const isBedrock = givenHost() !== undefined;
const wire = isBedrock ? BEDROCK_WIRE : RAW_WIRES[givenFamily()];
const { origin, pathname } = new URL(givenProviderUrl());
const pool = new Pool(origin, { connections: null, pipelining: 1 });
const path = (pathname + wire.path).replace("//", "/");
const headers = { "content-type": "application/json", ...wire.headers };

serveStreams((onDelta) => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onData = (data: string): void => {
    const text = wire.textOf(data);
    if (text !== undefined) onDelta(text);
  };
  const feed = isBedrock ? createFrameFeed(onData) : createEventFeed(onData);
  pool.dispatch(
    { method: "POST", path, headers, body: JSON.stringify(wire.request()) },
    {
      onRequestStart: () => undefined,
      onResponseStart: (controller, status) => {
        if (status !== 200) controller.abort(new Error(`the provider answered ${status}`));
      },
      onResponseData: (_controller, chunk) => feed(chunk),
      onResponseEnd: () => resolve(),
      onResponseError: (_controller, error) => reject(error),
    },
  );
  return promise;
});

function createEventFeed(onData: (data: string) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder("utf8");
  const parser = createParser({ onEvent: ({ data }) => onData(data) });
  return (chunk) => parser.feed(decoder.write(chunk));
}
