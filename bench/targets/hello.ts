/**
 * HELLO: what raw `node:http` reaches with a JSON answer, the limit for everything that needs no provider. A body is read
 * and parsed, the answer is written out anew each time: what any JSON service does at the very least.
 */
import { createServer, type ServerResponse } from "node:http";

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    if (parts.length > 0) JSON.parse(Buffer.concat(parts).toString());
    answer(response);
  });
});
server.keepAliveTimeout = 120_000;
server.listen(Number(process.env["PORT"]), "127.0.0.1");

function answer(response: ServerResponse): void {
  const text = JSON.stringify({ hello: "world" });
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}
