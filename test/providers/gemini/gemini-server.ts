// A scripted Gemini API: each request gets the next response of the script.
import { readFixture } from "./corpus.ts";
import {
  httpChunk,
  LAST_CHUNK,
  startWireServer,
  type WireRequest,
  type WireServer,
  writeAnswer,
} from "../wire-server.ts";

/** Responds to one request; the script writes to the socket. */
export type ScriptedResponse = (request: WireRequest) => void;

export interface GeminiServer {
  /** Where it listens, without a version. */
  readonly baseUrl: string;
  /** The bodies of the requests so far. */
  readonly bodies: readonly GeminiRequestBody[];
  readonly wire: WireServer;
  /** Queues responses for the next requests; after them every request gets a 500. */
  script(...responses: readonly ScriptedResponse[]): void;
}

/** The parts of a request that tests check. */
export interface GeminiRequestBody {
  readonly contents: readonly { readonly role: string; readonly parts: readonly Record<string, unknown>[] }[];
  readonly systemInstruction?: unknown;
  readonly tools?: unknown;
  readonly toolConfig?: unknown;
  readonly generationConfig: Record<string, unknown>;
  readonly continuationToken?: string;
}

export async function startGeminiServer(): Promise<GeminiServer> {
  const bodies: GeminiRequestBody[] = [];
  let waiting: ScriptedResponse[] = [];
  const wire = await startWireServer((request) => {
    bodies.push(JSON.parse(request.body));
    const response = waiting.shift() ?? reportError(500, "INTERNAL");
    response(request);
  });
  return {
    baseUrl: wire.url.replace(/\/v1$/, ""),
    bodies,
    wire,
    script(...responses) {
      waiting = [...responses];
    },
  };
}

// Like the API: no length, about one HTTP chunk per event, and no x-request-id.
const STREAM_HEAD =
  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nVary: Origin\r\nServer: scaffolding on HTTPServer2\r\nTransfer-Encoding: chunked\r\n\r\n";

/** Streams bytes in HTTP chunks of a size that respects no event. */
export function streamBytes(bytes: Uint8Array, size = 97): ScriptedResponse {
  return ({ socket }) => {
    socket.write(STREAM_HEAD);
    for (let start = 0; start < bytes.length; start += size) {
      socket.write(httpChunk(bytes.subarray(start, start + size)));
    }
    socket.write(LAST_CHUNK);
  };
}

/** Streams a fixture. */
export const streamFixture = (name: string) => streamBytes(readFixture(name));

/** Streams these parts, each in a chunk of its own, and ends for that reason; counts 10 tokens in, 5 out. */
export function streamParts(parts: readonly object[], finishReason = "STOP", more: object = {}): ScriptedResponse {
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  const candidates = [
    ...parts.map((part) => ({ content: { parts: [part], role: "model" }, index: 0 })),
    { content: { parts: [{ text: "" }], role: "model" }, finishReason, index: 0, ...more },
  ];
  const lines = candidates.map((candidate) => {
    const chunk = { candidates: [candidate], usageMetadata, modelVersion: "gemini-3.8-flash", responseId: "resp-g1" };
    return `data: ${JSON.stringify(chunk)}\r\n\r\n`;
  });
  return streamBytes(Buffer.from(lines.join("")));
}

/** Responds with an error in the API's form. */
export function reportError(
  code: number,
  status: string,
  message = "words",
  details: readonly object[] = [],
): ScriptedResponse {
  return ({ socket }) => {
    writeAnswer(
      socket,
      code,
      JSON.stringify({ error: { code, message, status, details } }),
      "content-type: application/json\r\n",
    );
  };
}

/** Begins a stream with these bytes, then does something else with the socket. */
export function beginStream(bytes: Uint8Array | string, then: (request: WireRequest) => void): ScriptedResponse {
  return (request) => {
    request.socket.write(STREAM_HEAD);
    request.socket.write(httpChunk(bytes), () => then(request));
  };
}

/** The RetryInfo of an error. */
export const retryInfo = (retryDelay: string) => ({ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay });
