/**
 * A gateway that only translates: POST /v1/responses in, a chat completion stream out; each chunk is parsed and
 * Responses events (or the response object) are written. The caller decides what happens to a finished turn before its
 * end is sent.
 */
import { createServer, type ServerResponse } from "node:http";
import { StringDecoder } from "node:string_decoder";
import { createParser } from "eventsource-parser";
import { Pool } from "undici";
import { FrameWriter, mintNames, responseJson, type Tokens } from "./frames.ts";

export interface FinishedTurn {
  readonly responseId: string;
  readonly request: string;
  /** The response object as JSON. */
  readonly response: string;
  readonly text: string;
}

/** Called with each finished turn; the client receives its end after `tell` is called. */
export type Settle = (turn: FinishedTurn, tell: () => void) => void;

interface CreateBody {
  readonly model: string;
  readonly input: string;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_obfuscation?: boolean };
}

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
}

/** Serves on PORT, with the provider at PROVIDER. */
export function serveTranslation(settle: Settle): void {
  const provider = new Pool(process.env["PROVIDER"] ?? "", { connections: null, pipelining: 1 });
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = (parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)).toString();
      runTurn(provider, body, response, settle);
    });
  });
  server.keepAliveTimeout = 120_000;
  server.listen(Number(process.env["PORT"]), "127.0.0.1");
}

function runTurn(provider: Pool, request: string, response: ServerResponse, settle: Settle): void {
  const create = JSON.parse(request) as CreateBody;
  const names = mintNames(create.model);
  const frames =
    create.stream === true ? new FrameWriter(names, create.stream_options?.include_obfuscation !== false) : null;
  const decoder = new StringDecoder("utf8");
  let text = "";
  let pending = "";
  let tokens: Tokens = { input: 0, output: 0 };

  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === "[DONE]") return;
      const chunk = JSON.parse(data) as Chunk;
      if (chunk.usage) tokens = { input: chunk.usage.prompt_tokens, output: chunk.usage.completion_tokens };
      const content = chunk.choices[0]?.delta.content;
      if (content === undefined || content === "") return;
      text += content;
      if (frames !== null) pending += frames.delta(content);
    },
  });

  const finish = (): void => {
    const object = responseJson(names, text, tokens);
    settle({ responseId: names.responseId, request, response: object, text }, () => {
      if (frames !== null) {
        response.end(pending + frames.closing(text, object));
      } else {
        response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(object) });
        response.end(object);
      }
    });
  };

  if (frames !== null) {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
    response.write(frames.opening());
  }
  provider.dispatch(
    {
      method: "POST",
      path: "/v1/chat/completions",
      headers: { "content-type": "application/json", authorization: "Bearer none" },
      body: chatBody(create),
    },
    {
      onRequestStart: (controller) => {
        response.on("close", () => response.writableEnded || controller.abort(new Error("the client went away")));
      },
      onResponseStart: (controller, status) => {
        if (status !== 200) controller.abort(new Error(`the provider answered ${status}`));
      },
      onResponseData: (_controller, chunk) => {
        parser.feed(decoder.write(chunk));
        // The frames of one read are written together; the last ones with the terminal event.
        if (pending !== "" && tokens.output === 0) {
          response.write(pending);
          pending = "";
        }
      },
      onResponseEnd: finish,
      onResponseError: () => void response.destroy(),
    },
  );
}

function chatBody(create: CreateBody): string {
  return JSON.stringify({
    model: create.model.slice(create.model.indexOf("/") + 1),
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: "user", content: create.input }],
  });
}
