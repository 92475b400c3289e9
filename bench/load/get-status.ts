/** Gets a path on a new connection, reads the response and keeps only its status. */
import { request } from "node:http";

/** Returns the status once the response is complete; 0 without a complete one. */
export function getStatus(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const outgoing = request({ agent: false, host: "127.0.0.1", port, path, headers });
  outgoing.on("response", (incoming) => {
    // A response that is broken off ends with an error here, and none of the request.
    incoming.resume().on("end", () => resolve(incoming.statusCode ?? 0));
    incoming.on("error", () => resolve(0));
  });
  outgoing.on("error", () => resolve(0));
  outgoing.end();
  return promise;
}
