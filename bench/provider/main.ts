/**
 * The fake provider: POST anything; the path selects the wire. The model's name selects the behaviour, because every
 * gateway passes it on: `fake` responds at once, `fake-burst` streams 200 deltas in bursts, `fake-paced` a few deltas
 * with pauses, `fake-idle` one delta and then nothing until the client disconnects. Others respond in one of the worst
 * possible shapes (`shapes/`).
 */
import { createServer, type ServerResponse } from "node:http";
import { chunkFrame } from "../../test/support/event-stream-frames.ts";
import { BURST_DELTAS, DELTAS, PACED_DELTAS, PACED_MS } from "./script.ts";
import { takeFault } from "./faults.ts";
import { findShape, sendShape } from "./shapes/shapes.ts";
import { instantStream, streamWrites, type Wire } from "./wire.ts";
import { anthropicWire } from "./wires/anthropic.ts";
import { geminiWire } from "./wires/gemini.ts";
import { openAiWire } from "./wires/openai.ts";
import { instantJson, openAiCompatibleWire } from "./wires/openai-compatible.ts";

type Play = (response: ServerResponse) => void;
/** The behaviour of each model. */
type Plays = Readonly<Record<string, Play>>;

const chatPlays = playsOf(openAiCompatibleWire);
const PLAYS: Readonly<Record<string, Plays>> = {
  "/v1/chat/completions": chatPlays,
  "/v1/messages": playsOf(anthropicWire),
  "/v1/responses": playsOf(openAiWire),
  "/openai/v1/responses": playsOf(openAiWire),
};
/** Wires that name the model in the path, and stream by it. */
const PATHS: readonly (readonly [RegExp, Plays])[] = [
  [/\/models\/([^/:]+):streamGenerateContent\?alt=sse$/, playsOf(geminiWire)],
  [/\/models\/([^/:]+):streamRawPredict$/, playsOf(anthropicWire)],
  [/^\/model\/([^/]+)\/invoke-with-response-stream$/, playsOf(anthropicWire, inFrames)],
];

const MODEL = Buffer.from('"model":"');
const STREAM = Buffer.from('"stream":true');

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const body = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    const path = request.url ?? "";
    response.on("error", () => response.destroy());
    if (!takeFault(path, response, (rest) => respond(rest, body, response))) respond(path, body, response);
  });
});
server.keepAliveTimeout = 120_000;
server.listen(Number(process.env["PORT"]), "127.0.0.1");

function respond(path: string, body: Buffer, response: ServerResponse): void {
  const plays = PLAYS[path];
  const [named, model] = plays === undefined ? findByPath(path) : [];
  if (named !== undefined && model !== undefined) {
    stream(named, model, response);
  } else if (body.includes(STREAM)) {
    stream(plays ?? chatPlays, modelName(body), response);
  } else {
    response.writeHead(200, { "content-type": "application/json", "content-length": instantJson.length });
    response.end(instantJson);
  }
}

function findByPath(path: string): readonly [Plays, string] | readonly [] {
  for (const [pattern, plays] of PATHS) {
    const model = pattern.exec(path)?.[1];
    if (model !== undefined) return [plays, model];
  }
  return [];
}

/** Server-sent events as Bedrock sends them: the data of each in a frame. */
function inFrames(events: Buffer): Buffer {
  return Buffer.concat(Array.from(events.toString().matchAll(/^data: (.*)$/gm), ([, data = ""]) => chunkFrame(data)));
}

function stream(plays: Plays, model: string, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const shape = findShape(model);
  if (shape !== undefined) return sendShape(shape, response);
  (plays[model] ?? plays["fake"])?.(response);
}

/** Searched in the bytes: parsing 3.4 KB of JSON per request would make the provider the bottleneck. */
function modelName(body: Buffer): string {
  const start = body.indexOf(MODEL) + MODEL.length;
  return body.toString("latin1", start, body.indexOf(0x22, start));
}

function playsOf(wire: Wire, encode: (events: Buffer) => Buffer = (events) => events): Plays {
  const instant = encode(instantStream(wire));
  const bursts = streamWrites(wire, DELTAS, BURST_DELTAS).map(encode);
  const paces = streamWrites(wire, PACED_DELTAS, 1).map(encode);
  return {
    fake: (response) => response.end(instant),
    "fake-burst": (response) => playAll(response, bursts, (proceed) => setImmediate(proceed)),
    "fake-paced": (response) => playAll(response, paces, (proceed) => setTimeout(proceed, PACED_MS)),
    "fake-idle": (response) => response.write(paces[0]),
  };
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
