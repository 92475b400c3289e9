// A plain HTTP client for tests: sends exactly what it is given and returns exactly what it received.
import { request as httpRequest } from "node:http";

export interface RequestOptions {
  /** API key; null: no Authorization header. */
  readonly key?: string | null;
  /** Sent as JSON; strings and bytes unchanged. */
  readonly body?: object | string | Uint8Array;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** Bodies of replies, loosely typed: the tests check their shape. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Loose = any;

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as JSON; null when it is none. */
  readonly json: Loose;
}

export interface StreamedEvent {
  readonly event: string;
  readonly data: Loose;
}

export interface Streamed extends Reply {
  readonly events: readonly StreamedEvent[];
  /** Comment frames. */
  readonly comments: number;
}

/** One request over a connection of its own. */
export function request(baseUrl: string, method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
  const { key, body, headers } = options;
  const payload =
    body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      new URL(path, baseUrl),
      {
        method,
        agent: false,
        headers: {
          ...(key === undefined || key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(payload === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
          ...headers,
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          const received = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
          resolve({ status: answer.statusCode ?? 0, headers: Object.fromEntries(received), text, json: parse(text) });
        });
      },
    );
    sent.on("error", reject);
    sent.end(payload);
  });
}

/** A streaming create, read to its end. */
export async function stream(baseUrl: string, options: RequestOptions): Promise<Streamed> {
  const answer = await request(baseUrl, "POST", "/v1/responses", options);
  return { ...answer, ...readFrames(answer.status === 200 ? answer.text : "") };
}

/** The frames of a stream's text. */
export function readFrames(text: string): { events: StreamedEvent[]; comments: number } {
  const events: StreamedEvent[] = [];
  let comments = 0;
  for (const frame of text.split("\n\n").filter((part) => part !== "")) {
    if (frame.startsWith(":")) {
      comments++;
      continue;
    }
    const [eventLine = "", dataLine = ""] = frame.split("\n");
    events.push({ event: eventLine.slice("event: ".length), data: JSON.parse(dataLine.slice("data: ".length)) });
  }
  return { events, comments };
}

function parse(text: string): Loose {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
