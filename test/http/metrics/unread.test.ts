// Requests that no handler reads are counted too.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { type TestService, withService } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { valueOf } from "./exposition.ts";

/** Sends bytes and waits for the connection to end, or ends it after them. */
async function send(service: TestService, text: string, andLeave = false): Promise<void> {
  const socket = connect(Number(new URL(service.baseUrl).port), "127.0.0.1");
  socket.on("error", () => {});
  socket.resume();
  socket.write(text);
  if (andLeave) {
    await until("the request", () => service.metrics !== undefined && socket.bytesWritten === text.length);
    // The head must be read first: only then has the client left a request.
    await new Promise((resolve) => setImmediate(resolve));
    socket.end();
  }
  await once(socket, "close");
}

/** The head of a create with a valid key. */
function createHead({ key }: TestService, ...headers: readonly string[]): string {
  return ["POST /v1/responses HTTP/1.1", "Host: x", `Authorization: Bearer ${key}`, ...headers, "", ""].join("\r\n");
}

async function answered(service: TestService, operation: string, status: string): Promise<number> {
  return valueOf(await service.metricsPage.render(), "turngate_requests_total", { operation, status });
}

test("invalid HTTP is counted as unparsed", async () => {
  await withService({}, async (service) => {
    await send(service, "NONSENSE\r\n\r\n");
    assert.equal(await answered(service, "unparsed", "400"), 1);
    const refusal = { operation: "unparsed", code: "invalid_input" };
    assert.equal(valueOf(await service.metricsPage.render(), "turngate_refusals_total", refusal), 1);
  });
});

test("an unsupported expectation is counted as unread", async () => {
  await withService({}, async (service) => {
    await send(service, "GET /v1/models HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n");
    assert.equal(await answered(service, "unread", "417"), 1);
  });
});

test("a client that disconnects before its request is complete is counted with status none", async () => {
  await withService({}, async (service) => {
    await send(service, `${createHead(service, "Content-Length: 100")}{`, true);
    await until("the count", async () => (await answered(service, "createResponse", "none")) === 1);
    assert.equal(await answered(service, "unparsed", "400"), 0);
    const labels = { operation: "createResponse", stream: "false" };
    assert.equal(valueOf(await service.metricsPage.render(), "turngate_request_duration_seconds_count", labels), 0);
  });
});

test("an invalid chunked body ends its request, which is counted once", async () => {
  await withService({}, async (service) => {
    await send(service, `${createHead(service, "Transfer-Encoding: chunked")}zz\r\n`);
    await until("the count", async () => (await answered(service, "createResponse", "none")) === 1);
    assert.equal(await answered(service, "unparsed", "400"), 0);
  });
});

test("pages of the reference are counted, probes are not", async () => {
  await withService({}, async (service) => {
    await service.request("GET", "/openapi.json");
    await service.request("GET", "/healthz");
    await service.request("GET", "/readyz");
    const text = await service.metricsPage.render();
    assert.equal(valueOf(text, "turngate_requests_total", { operation: "reference", status: "200" }), 1);
    assert.doesNotMatch(text, /healthz|readyz|probe/);
  });
});
