/**
 * HELLO: the throughput of plain `node:http` with JSON, the limit for every request that needs no provider. The body is
 * parsed and the response serialized each time, as in any JSON service.
 */
import { createServer, type ServerResponse } from "node:http";

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    if (parts.length > 0) JSON.parse(Buffer.concat(parts).toString());
    respond(response);
  });
});
server.keepAliveTimeout = 120_000;
server.listen(Number(process.env["PORT"]), "127.0.0.1");

function respond(response: ServerResponse): void {
  const text = JSON.stringify({ hello: "world" });
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}
