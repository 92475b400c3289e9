/** Posts prebuilt bytes on a new connection and keeps only the status of the response. */
import { request } from "node:http";

/** Returns the status once the response is complete; 0 without a complete one. */
export function postBytes(port: number, headers: Readonly<Record<string, string>>, body: Buffer): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const outgoing = request({
    agent: false,
    host: "127.0.0.1",
    port,
    method: "POST",
    path: "/v1/responses",
    headers: { ...headers, "content-type": "application/json", "content-length": body.length },
  });
  outgoing.on("response", (incoming) => {
    // A response that is broken off ends with an error here, and none of the request.
    incoming.resume().on("end", () => resolve(incoming.statusCode ?? 0));
    incoming.on("error", () => resolve(0));
  });
  outgoing.on("error", () => resolve(0));
  outgoing.end(body);
  return promise;
}
