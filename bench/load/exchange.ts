/** One request with its complete response, for setup and checks, not for load. */
import { Agent, request } from "node:http";
import type { RequestParts } from "./request.ts";

export interface RequestContext {
  readonly status: number;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Sends one request to a local port and reads the response. */
export function exchange(port: number, { method, path, headers = {}, body }: RequestParts): Promise<RequestContext> {
  const { promise, resolve, reject } = Promise.withResolvers<RequestContext>();
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const outgoing = request(
    {
      agent,
      host: "127.0.0.1",
      port,
      method,
      path,
      headers:
        payload === undefined
          ? headers
          : { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(payload) },
    },
    (incoming) => {
      let text = "";
      incoming.setEncoding("utf8");
      incoming.on("data", (part: string) => (text += part));
      incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, text }));
      incoming.on("error", reject);
    },
  );
  outgoing.on("error", reject);
  outgoing.end(payload);
  return promise;
}

/** The same; throws unless the status is 200. */
export async function exchangeOk(port: number, parts: RequestParts): Promise<string> {
  const { status, text } = await exchange(port, parts);
  if (status !== 200) throw new Error(`${parts.method} ${parts.path} answered ${status}: ${text.slice(0, 300)}`);
  return text;
}

export function closeExchanges(): void {
  agent.destroy();
}
