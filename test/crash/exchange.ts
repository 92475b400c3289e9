// One request over a connection that may break: returns whatever part of the reply arrived.
import { Agent, request as httpRequest } from "node:http";
import { type Loose, readFrames, type StreamedEvent } from "../support/http-client.ts";

export interface Heard {
  /** Null when not even a status arrived. */
  readonly status: number | null;
  readonly text: string;
  /** Whether the reply is complete. */
  readonly isWhole: boolean;
}

interface Asking {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly key?: string;
  /** Receives the text so far whenever more of it arrives. */
  onText?(text: string): void;
}

const agent = new Agent({ keepAlive: true, maxSockets: 100 });

/** Sends a request; never rejects. */
export function ask({ baseUrl, apiKey, method, path, body, key, onText }: Asking): Promise<Heard> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve) => {
    let status: number | null = null;
    let text = "";
    const sent = httpRequest(
      new URL(path, baseUrl),
      {
        method,
        agent,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(key === undefined ? {} : { "idempotency-key": key }),
          ...(payload === undefined ? {} : { "content-length": Buffer.byteLength(payload) }),
        },
      },
      (answer) => {
        status = answer.statusCode ?? null;
        answer.setEncoding("utf8");
        answer.on("data", (chunk: string) => {
          text += chunk;
          onText?.(text);
        });
        answer.on("error", () => {});
        answer.on("close", () => resolve({ status, text, isWhole: answer.complete }));
      },
    );
    sent.on("error", () => resolve({ status, text, isWhole: false }));
    sent.end(payload);
  });
}

/** The complete frames of a stream that may have ended within one. */
export function wholeEvents(text: string): readonly StreamedEvent[] {
  const end = text.lastIndexOf("\n\n");
  return end === -1 ? [] : readFrames(text.slice(0, end + 2)).events;
}

export type { Loose };
