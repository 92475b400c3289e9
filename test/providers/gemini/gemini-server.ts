// The Gemini API as a test wants it: each request is answered by the next line of a script.
import { readFixture } from "./corpus.ts";
import {
  httpChunk,
  LAST_CHUNK,
  startWireServer,
  type WireRequest,
  type WireServer,
  writeAnswer,
} from "../wire-server.ts";

/** Answers one request; the socket is the script's to write on. */
export type GeminiAnswer = (request: WireRequest) => void;

export interface GeminiServer {
  /** Where it listens, without a version. */
  readonly baseUrl: string;
  /** The bodies of the requests so far. */
  readonly bodies: readonly GeminiRequestBody[];
  readonly wire: WireServer;
  /** Answers the requests to come by these, in order; behind them 500. */
  script(...answers: readonly GeminiAnswer[]): void;
}

/** What tests look at of a request. */
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
  let waiting: GeminiAnswer[] = [];
  const wire = await startWireServer((request) => {
    bodies.push(JSON.parse(request.body));
    const answer = waiting.shift() ?? reportError(500, "INTERNAL");
    answer(request);
  });
  return {
    baseUrl: wire.url.replace(/\/v1$/, ""),
    bodies,
    wire,
    script(...answers) {
      waiting = [...answers];
    },
  };
}

// As the API answers: no length, one HTTP chunk an event or so, and no x-request-id.
const STREAM_HEAD =
  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nVary: Origin\r\nServer: scaffolding on HTTPServer2\r\nTransfer-Encoding: chunked\r\n\r\n";

/** Streams bytes in HTTP chunks of a size that respects no event. */
export function streamBytes(bytes: Uint8Array, size = 97): GeminiAnswer {
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
export function streamParts(parts: readonly object[], finishReason = "STOP", more: object = {}): GeminiAnswer {
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

/** Answers with an error as the API words it. */
export function reportError(
  code: number,
  status: string,
  message = "words",
  details: readonly object[] = [],
): GeminiAnswer {
  return ({ socket }) => {
    writeAnswer(
      socket,
      code,
      JSON.stringify({ error: { code, message, status, details } }),
      "content-type: application/json\r\n",
    );
  };
}

/** Begins a stream with these bytes, then does something else to the socket. */
export function beginStream(bytes: Uint8Array | string, then: (request: WireRequest) => void): GeminiAnswer {
  return (request) => {
    request.socket.write(STREAM_HEAD);
    request.socket.write(httpChunk(bytes), () => then(request));
  };
}

/** The RetryInfo of an error. */
export const retryInfo = (retryDelay: string) => ({ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay });
