/** HELLO: what raw `node:http` reaches with a JSON answer, the limit for everything that needs no provider. */
import { createServer } from "node:http";

const ANSWER = JSON.stringify({ hello: "world" });

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    response.writeHead(200, { "content-type": "application/json", "content-length": ANSWER.length });
    response.end(ANSWER);
  });
});
server.keepAliveTimeout = 120_000;
server.listen(Number(process.env["PORT"]), "127.0.0.1");
