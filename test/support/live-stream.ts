// An open stream: its frames as they arrive, and a way to cut it.
import { type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http";
import { type RequestOptions, readFrames, type StreamedEvent } from "./http-client.ts";
import { until } from "./until.ts";

export class LiveStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Settles when the stream has ended or was cut. */
  readonly closed: Promise<void>;
  text = "";
  isClosed = false;
  readonly #sent: ClientRequest;

  private constructor(sent: ClientRequest, reply: IncomingMessage) {
    this.#sent = sent;
    this.status = reply.statusCode ?? 0;
    this.headers = Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name, String(value)]));
    reply.setEncoding("utf8");
    reply.on("data", (text: string) => {
      this.text += text;
    });
    reply.on("error", () => {});
    this.closed = new Promise((resolve) => {
      reply.on("close", () => {
        this.isClosed = true;
        resolve();
      });
    });
  }

  /** Sends a streaming create; resolves with its headers. */
  static open(
    service: { baseUrl: string; key: string },
    body: object,
    options: RequestOptions = {},
  ): Promise<LiveStream> {
    const sent = httpRequest(new URL("/v1/responses", service.baseUrl), {
      method: "POST",
      agent: false,
      headers: {
        authorization: `Bearer ${options.key ?? service.key}`,
        "content-type": "application/json",
        ...options.headers,
      },
    });
    return new Promise((resolve, reject) => {
      sent.on("error", reject);
      sent.on("response", (reply) => resolve(new LiveStream(sent, reply)));
      sent.end(JSON.stringify({ model: "test/all", input: "hi", stream: true, ...body }));
    });
  }

  /** The events of the complete frames so far. */
  get events(): readonly StreamedEvent[] {
    return this.#frames().events;
  }

  get comments(): number {
    return this.#frames().comments;
  }

  /** Id of the response, from response.created. */
  get id(): string {
    return this.events[0]?.data.response.id;
  }

  /** Waits for an event of that type. */
  async sees(type: string): Promise<StreamedEvent> {
    await until(`the event ${type}`, () => this.events.some(({ event }) => event === type));
    return this.events.find(({ event }) => event === type) as StreamedEvent;
  }

  /** Cuts the connection. */
  drop(): void {
    this.#sent.destroy();
  }

  #frames() {
    const end = this.text.lastIndexOf("\n\n");
    return readFrames(end < 0 ? "" : this.text.slice(0, end));
  }
}
