/**
 * The fake provider: POST anything, OpenAI-compatible. The model's name in the body chooses what it does, since a name
 * passes through every gateway: `fake` answers at once, `fake-burst` streams 200 deltas in bursts, `fake-paced` a few
 * deltas with pauses, `fake-idle` one delta and then nothing until the client goes away.
 */
import { createServer, type ServerResponse } from "node:http";
import {
  BURST_DELTAS,
  DELTAS,
  instantJson,
  instantStream,
  PACED_DELTAS,
  PACED_MILLISECONDS,
  streamWrites,
} from "./chunks.ts";

type Play = (response: ServerResponse) => void;

const bursts = streamWrites(DELTAS, BURST_DELTAS);
const paces = streamWrites(PACED_DELTAS, 1);

const PLAYS: Readonly<Record<string, Play>> = {
  fake: (response) => response.end(instantStream),
  "fake-burst": (response) => playAll(response, bursts, (proceed) => setImmediate(proceed)),
  "fake-paced": (response) => playAll(response, paces, (proceed) => setTimeout(proceed, PACED_MILLISECONDS)),
  "fake-idle": (response) => response.write(paces[0]),
};

const MODEL = Buffer.from('"model":"');
const STREAM = Buffer.from('"stream":true');

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => answer(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts), response));
});
server.keepAliveTimeout = 120_000;
server.listen(Number(process.env["PORT"]), "127.0.0.1");

function answer(body: Buffer, response: ServerResponse): void {
  response.on("error", () => response.destroy());
  if (!body.includes(STREAM)) {
    response.writeHead(200, { "content-type": "application/json", "content-length": instantJson.length });
    response.end(instantJson);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  (PLAYS[modelName(body)] ?? PLAYS["fake"])?.(response);
}

/** Found by its bytes: parsing 3.4 KB of JSON a request would make the provider the bottleneck. */
function modelName(body: Buffer): string {
  const start = body.indexOf(MODEL) + MODEL.length;
  return body.toString("latin1", start, body.indexOf(0x22, start));
}

function playAll(response: ServerResponse, writes: readonly Buffer[], pause: (proceed: () => void) => void): void {
  let index = 0;
  const proceed = (): void => {
    const write = writes[index++];
    if (write === undefined || response.destroyed) return;
    if (index === writes.length) return void response.end(write);
    response.write(write);
    pause(proceed);
  };
  proceed();
}
