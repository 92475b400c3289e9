/** PASS: a proxy on undici's `dispatch` that parses nothing: the physical limit of one core. */
import { createServer, type ServerResponse } from "node:http";
import { Pool } from "undici";

const provider = new Pool(process.env["PROVIDER"] ?? "", { connections: null, pipelining: 1 });

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => forward(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts), response));
});
server.keepAliveTimeout = 120_000;
server.listen(Number(process.env["PORT"]), "127.0.0.1");

function forward(body: Buffer, response: ServerResponse): void {
  provider.dispatch(
    { method: "POST", path: "/v1/chat/completions", headers: { "content-type": "application/json" }, body },
    {
      onRequestStart: (controller) => response.on("close", () => response.writableEnded || controller.abort(gone())),
      onResponseStart: (_controller, status, headers) => {
        response.writeHead(status, { "content-type": String(headers["content-type"]) });
      },
      onResponseData: (_controller, chunk) => void response.write(chunk),
      onResponseEnd: () => void response.end(),
      onResponseError: () => void response.destroy(),
    },
  );
}

function gone(): Error {
  return new Error("the client went away");
}
