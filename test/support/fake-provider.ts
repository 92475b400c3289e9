// A fake provider on a real wire. Its model obeys the directives of the simulated models in the newest user message
// (docs/simulated-models.md), so one text makes every provider do the same. This is the part common to all wires; each
// adds its encoding, and the rules by which its real server rejects requests.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Prompt } from "../../src/core/response/prompt.ts";
import { plan } from "../../src/providers/simulated/plan.ts";
import type { Loose } from "./http-client.ts";
import { type FakeStream, refuse, type ApiError } from "./fake-stream.ts";

/** One request that arrived. */
export interface FakeCall {
  readonly body: Loose;
  readonly headers: Loose;
  /** The prompt as a model behind this wire sees it; null for a rejected request. */
  readonly prompt: Prompt | null;
  /** The reason why the real server would reject it; null for a request that was served. */
  readonly error: string | null;
  /** Whether its response was sent to the end. */
  isComplete: boolean;
  /** Whether the caller closed the connection before that. */
  isAborted: boolean;
}

/** A request as received. */
export interface FakeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Loose;
  readonly body: Loose;
  /** The body as it was sent. */
  readonly text: string;
  /** Counts from 1. */
  readonly number: number;
}

/** One wire. */
export interface Wire {
  /** The path after the server's address. */
  readonly basePath: string;
  /** The error of a request; null when it is served. */
  check(request: FakeRequest): ApiError | null | Promise<ApiError | null>;
  read(request: FakeRequest): { readonly modelId: string; readonly prompt: Prompt; readonly tokensMax: number | null };
  respond(request: FakeRequest, response: ServerResponse): FakeStream;
}

export class FakeProvider {
  /** Every call in the order of arrival. */
  readonly calls: FakeCall[] = [];
  baseUrl = "";
  readonly #wire: Wire;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #sockets = new Set<Socket>();
  #made = 0;

  private constructor(wire: Wire) {
    this.#wire = wire;
  }

  static async start(wire: Wire): Promise<FakeProvider> {
    const fake = new FakeProvider(wire);
    const server = fake.#server;
    server.on("connection", (socket) => {
      fake.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => fake.#sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("not a TCP address");
    fake.baseUrl = `http://127.0.0.1:${address.port}${wire.basePath}`;
    return fake;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of message) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    // A request for a list of models has no body.
    const text = Buffer.concat(chunks).toString("utf8");
    const body: Loose = JSON.parse(text || "null");
    const { method = "", url = "", headers } = message;
    const request = { method, url, headers, body, text, number: ++this.#made };
    const refusal = await this.#wire.check(request);
    const reading = refusal === null ? this.#wire.read(request) : null;
    const call: FakeCall = {
      body,
      headers: message.headers,
      prompt: reading?.prompt ?? null,
      error: refusal?.message ?? null,
      isComplete: false,
      isAborted: false,
    };
    this.calls.push(call);
    response.on("error", () => {});
    response.on("close", () => {
      call.isAborted = !call.isComplete;
    });
    if (refusal !== null) return refuse(response, refusal);
    if (reading === null) return;
    const { modelId, prompt, tokensMax } = reading;
    const stream = this.#wire.respond(request, response);
    call.isComplete = await stream.play(plan({ modelId, ownText: "", prompt }), tokensMax, prompt);
  }
}
